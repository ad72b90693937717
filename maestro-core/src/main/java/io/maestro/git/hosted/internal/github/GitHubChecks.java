package io.maestro.git.hosted.internal.github;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.git.hosted.internal.ApiException;
import io.maestro.git.hosted.internal.ApiException.ApiFault;
import io.maestro.git.hosted.internal.Check;
import io.maestro.git.hosted.internal.CheckLog;
import io.maestro.git.hosted.internal.ForgeApi;
import io.maestro.git.hosted.internal.ForgeHttp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Reads the checks of a commit: what apps say, and what statuses say. */
final class GitHubChecks {
    private static final String ACTIONS = "github-actions";
    private static final int MOST_ANNOTATIONS = 10;
    private static final int LONGEST_MESSAGE = 500;

    private final ForgeApi api;
    private final String path;

    /** @param path of the repository */
    GitHubChecks(ForgeApi api, String path) {
        this.api = api;
        this.path = path;
    }

    List<Check> of(String commit) {
        List<Check> checks = new ArrayList<>();
        // Its "latest" is that of each suite, and each event makes a suite.
        List<JsonNode> runs = api.list(path + "/commits/" + commit + "/check-runs?filter=latest", "check_runs");
        Map<Long, String> workflows = workflows(commit, runs);
        for (JsonNode run : Check.newest(
                runs,
                one -> List.of(name(one), app(one), workflows.getOrDefault(suite(one), "")),
                GitHubChecks::began)) {
            String conclusion = ForgeApi.text(run.path("conclusion"));
            String status = ForgeApi.text(run.path("status"));
            JsonNode output = run.path("output");
            checks.add(new Check(
                    name(run),
                    ofRun(status, conclusion),
                    conclusion.isEmpty() ? status : conclusion,
                    ForgeApi.text(run.path("html_url")),
                    run.path("id").asLong(),
                    app(run).equals(ACTIONS),
                    (ForgeApi.text(output.path("title")) + "\n" + ForgeApi.text(output.path("summary"))).strip()));
        }
        List<JsonNode> statuses = api.list(path + "/commits/" + commit + "/status", "statuses");
        for (JsonNode status : Check.newest(
                statuses,
                one -> List.of(ForgeApi.text(one.path("context"))),
                one -> ForgeApi.time(one.path("created_at"), Instant.MIN))) {
            String state = ForgeApi.text(status.path("state"));
            checks.add(new Check(
                    ForgeApi.text(status.path("context")),
                    ofStatus(state),
                    state,
                    ForgeApi.text(status.path("target_url")),
                    0,
                    false,
                    ForgeApi.text(status.path("description"))));
        }
        return checks;
    }

    /**
     * The workflows of suites in which GitHub Actions has jobs of one name. Two events make two suites of one workflow; suites of two
     * workflows are two checks, as all are whose workflow is not known.
     */
    private Map<Long, String> workflows(String commit, List<JsonNode> runs) {
        Map<Long, String> workflows = new HashMap<>();
        runs.stream()
                .filter(run -> app(run).equals(ACTIONS))
                .collect(Collectors.groupingBy(
                        GitHubChecks::name, Collectors.mapping(GitHubChecks::suite, Collectors.toSet())))
                .values()
                .stream()
                .filter(suites -> suites.size() > 1)
                .forEach(suites -> suites.forEach(suite -> workflows.put(suite, "of suite " + suite)));
        if (workflows.isEmpty()) {
            return workflows;
        }
        try {
            for (JsonNode run : api.list(path + "/actions/runs?head_sha=" + commit, "workflow_runs")) {
                workflows.replace(
                        run.path("check_suite_id").asLong(),
                        run.path("workflow_id").asText());
            }
        } catch (ApiException e) {
            if (e.kind() != ApiFault.DENIED && e.kind() != ApiFault.REFUSED) {
                throw e;
            }
        }
        return workflows;
    }

    private static String name(JsonNode run) {
        return ForgeApi.text(run.path("name"));
    }

    private static String app(JsonNode run) {
        return ForgeApi.text(run.path("app").path("slug"));
    }

    private static long suite(JsonNode run) {
        return run.path("check_suite").path("id").asLong();
    }

    /** A run that has not begun is newer than all that have. One that was ended before counts from its end. */
    private static Instant began(JsonNode run) {
        return ForgeApi.time(run.path("started_at"), ForgeApi.time(run.path("completed_at"), Instant.MAX));
    }

    /** The table of conclusions of check runs; a word that is new to it waits for people. */
    static Check.CheckState ofRun(String status, String conclusion) {
        if (!status.equals("completed")) {
            return Check.CheckState.RUNNING;
        }
        return switch (conclusion) {
            case "success", "neutral", "skipped" -> Check.CheckState.GREEN;
            case "failure", "timed_out", "startup_failure" -> Check.CheckState.RED;
            default -> Check.CheckState.STUCK;
        };
    }

    /** The table of statuses. */
    static Check.CheckState ofStatus(String state) {
        return switch (state) {
            case "success" -> Check.CheckState.GREEN;
            case "failure", "error" -> Check.CheckState.RED;
            default -> Check.CheckState.RUNNING;
        };
    }

    String details(Check check) {
        if (check.id() == 0) {
            return "";
        }
        StringBuilder text = new StringBuilder();
        annotations(check, text);
        if (check.job()) {
            api.text(path + "/actions/jobs/" + check.id() + "/logs", ForgeHttp.MAX_BYTES)
                    .map(CheckLog::failingPart)
                    .ifPresent(part ->
                            text.append("\nThe failing part of its log:\n").append(part.indent(2)));
        }
        return text.toString();
    }

    private void annotations(Check check, StringBuilder text) {
        JsonNode found = api.get(path + "/check-runs/" + check.id() + "/annotations?per_page=" + MOST_ANNOTATIONS);
        for (JsonNode annotation : found) {
            text.append('\n')
                    .append(ForgeApi.text(annotation.path("path")))
                    .append(':')
                    .append(annotation.path("start_line").asInt())
                    .append(": ")
                    .append(CheckLog.ends(ForgeApi.text(annotation.path("message")), LONGEST_MESSAGE));
        }
    }
}
