package io.maestro.git.hosted.internal.gitlab;

import static io.maestro.git.hosted.internal.ForgeApi.text;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.git.hosted.internal.Check;
import io.maestro.git.hosted.internal.CheckLog;
import io.maestro.git.hosted.internal.ForgeApi;
import io.maestro.git.hosted.internal.ForgeHttp;
import io.maestro.git.hosted.internal.PullRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Reads the checks of a commit: jobs of pipelines, and statuses that other systems set. A pipeline may also run on the commit and
 * the target branch merged for a try; its jobs count as well.
 */
final class GitLabJobs {
    private static final Pattern SECTION = Pattern.compile("section_(?:start|end):\\d+:[^\\r\\n]*\\r?");

    private final ForgeApi api;
    private final String project;

    GitLabJobs(ForgeApi api, String project) {
        this.api = api;
        this.project = project;
    }

    List<Check> of(PullRequest request, String commit) {
        List<JsonNode> runs = new ArrayList<>(api.list(project + "/repository/commits/" + commit + "/statuses", null));
        JsonNode pipeline = api.get(project + "/merge_requests/" + request.number() + "/pipelines?per_page=1")
                .path(0);
        String tried = text(pipeline.path("sha"));
        if (!tried.isEmpty() && !tried.equals(commit) && isTryOf(tried, commit)) {
            runs.addAll(jobs(pipeline.path("id").asLong()));
        }
        return newest(runs);
    }

    /** The jobs of a pipeline. */
    List<Check> ofPipeline(long id) {
        return newest(jobs(id));
    }

    private List<JsonNode> jobs(long id) {
        return api.list(project + "/pipelines/" + id + "/jobs", null);
    }

    /** A branch and its request may have a pipeline each. Which is newer the ids say: a runner may begin an older one later. */
    private static List<Check> newest(List<JsonNode> runs) {
        return Check.newest(runs, run -> List.of(text(run.path("name"))), run -> Instant.EPOCH).stream()
                .map(GitLabJobs::check)
                .toList();
    }

    /** Whether a commit merges another for a try. */
    boolean isTryOf(String tried, String commit) {
        JsonNode parents = api.find(project + "/repository/commits/" + tried)
                .map(json -> json.path("parent_ids"))
                .orElseGet(ForgeApi::object);
        for (JsonNode parent : parents) {
            if (text(parent).equals(commit)) {
                return true;
            }
        }
        return false;
    }

    private static Check check(JsonNode json) {
        String status = text(json.path("status"));
        // Of a status, and of a job.
        String url = text(json.path(json.has("target_url") ? "target_url" : "web_url"));
        return new Check(
                text(json.path("name")),
                state(status, json.path("allow_failure").asBoolean()),
                status,
                url,
                json.path("id").asLong(),
                true,
                text(json.path("description")));
    }

    /** The table of statuses; a word that is new to it waits for people. */
    static Check.CheckState state(String status, boolean mayFail) {
        return switch (status) {
            case "success", "skipped" -> Check.CheckState.GREEN;
            case "created",
                    "waiting_for_resource",
                    "waiting_for_callback",
                    "preparing",
                    "pending",
                    "running",
                    "scheduled",
                    "canceling" -> Check.CheckState.RUNNING;
            case "failed" -> mayFail ? Check.CheckState.GREEN : Check.CheckState.RED;
            default -> mayFail ? Check.CheckState.GREEN : Check.CheckState.STUCK;
        };
    }

    /** The failing part of a job's log; what another system has run has none here. */
    String details(Check check) {
        return api.text(project + "/jobs/" + check.id() + "/trace", ForgeHttp.MAX_BYTES)
                .map(log -> SECTION.matcher(log).replaceAll(""))
                .map(CheckLog::failingPart)
                .filter(part -> !part.isBlank())
                .map(part -> "\nThe failing part of its log:\n" + part.indent(2))
                .orElse("");
    }
}
