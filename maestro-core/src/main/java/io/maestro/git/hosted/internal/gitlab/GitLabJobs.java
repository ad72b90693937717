package io.maestro.git.hosted.internal.gitlab;

import static io.maestro.git.hosted.internal.ForgeApi.text;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.git.hosted.internal.Check;
import io.maestro.git.hosted.internal.CheckLog;
import io.maestro.git.hosted.internal.ForgeApi;
import io.maestro.git.hosted.internal.ForgeHttp;
import io.maestro.git.hosted.internal.Request;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

    List<Check> of(Request request, String commit) {
        // Of each name the last run: a branch and its request may have a pipeline each.
        Map<String, Check> latest = new LinkedHashMap<>();
        for (JsonNode status : api.list(project + "/repository/commits/" + commit + "/statuses", null)) {
            add(latest, check(status, text(status.path("target_url"))));
        }
        JsonNode pipeline = api.get(project + "/merge_requests/" + request.number() + "/pipelines?per_page=1")
                .path(0);
        String tried = text(pipeline.path("sha"));
        if (!tried.isEmpty() && !tried.equals(commit) && isTryOf(tried, commit)) {
            ofPipeline(pipeline.path("id").asLong()).forEach(job -> add(latest, job));
        }
        return new ArrayList<>(latest.values());
    }

    /** The jobs of a pipeline. */
    List<Check> ofPipeline(long id) {
        return api.list(project + "/pipelines/" + id + "/jobs", null).stream()
                .map(job -> check(job, text(job.path("web_url"))))
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

    private static void add(Map<String, Check> latest, Check check) {
        Check other = latest.get(check.name());
        if (other == null || other.id() < check.id()) {
            latest.put(check.name(), check);
        }
    }

    private static Check check(JsonNode json, String url) {
        String status = text(json.path("status"));
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
    static Check.State state(String status, boolean mayFail) {
        return switch (status) {
            case "success", "skipped" -> Check.State.GREEN;
            case "created",
                    "waiting_for_resource",
                    "waiting_for_callback",
                    "preparing",
                    "pending",
                    "running",
                    "scheduled",
                    "canceling" -> Check.State.RUNNING;
            case "failed" -> mayFail ? Check.State.GREEN : Check.State.RED;
            default -> mayFail ? Check.State.GREEN : Check.State.STUCK;
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
