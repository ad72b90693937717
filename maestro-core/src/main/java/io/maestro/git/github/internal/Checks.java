package io.maestro.git.github.internal;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Reads the checks of a commit, and what coders need to know of those that have failed. */
final class Checks {
    private static final int MOST_SHOWN = 5;
    private static final int MOST_ANNOTATIONS = 10;
    private static final int LONGEST_SAID = 1500;

    private final GitHubApi api;
    private final String path;

    /** @param path of the repository */
    Checks(GitHubApi api, String path) {
        this.api = api;
        this.path = path;
    }

    List<Check> of(String commit) {
        List<Check> checks = new ArrayList<>();
        for (JsonNode run : api.list(path + "/commits/" + commit + "/check-runs?filter=latest", "check_runs")) {
            String conclusion = PullRequest.text(run.path("conclusion"));
            String status = PullRequest.text(run.path("status"));
            JsonNode output = run.path("output");
            checks.add(new Check(
                    PullRequest.text(run.path("name")),
                    Check.ofRun(status, conclusion),
                    conclusion.isEmpty() ? status : conclusion,
                    PullRequest.text(run.path("html_url")),
                    run.path("id").asLong(),
                    PullRequest.text(run.path("app").path("slug")).equals("github-actions"),
                    (PullRequest.text(output.path("title")) + "\n" + PullRequest.text(output.path("summary")))
                            .strip()));
        }
        for (JsonNode status : api.list(path + "/commits/" + commit + "/status", "statuses")) {
            String state = PullRequest.text(status.path("state"));
            checks.add(new Check(
                    PullRequest.text(status.path("context")),
                    Check.ofStatus(state),
                    state,
                    PullRequest.text(status.path("target_url")),
                    0,
                    false,
                    PullRequest.text(status.path("description"))));
        }
        return checks;
    }

    static List<Check> in(List<Check> checks, Check.State state) {
        return checks.stream().filter(check -> check.state() == state).toList();
    }

    static String names(List<Check> checks) {
        return checks.stream().map(Check::name).distinct().limit(20).collect(Collectors.joining(", "));
    }

    /** What has failed, for the coder. */
    String report(List<Check> failed) {
        StringBuilder report = new StringBuilder();
        for (Check check : failed.stream().limit(MOST_SHOWN).toList()) {
            report.append("- ").append(check.name()).append(": ").append(check.word());
            report.append(check.url().isEmpty() ? "" : " (" + check.url() + ")").append('\n');
            details(check).ifPresent(text -> report.append(text.indent(2)));
        }
        if (failed.size() > MOST_SHOWN) {
            report.append("- and ").append(failed.size() - MOST_SHOWN).append(" more: ");
            report.append(names(failed.subList(MOST_SHOWN, failed.size()))).append('\n');
        }
        return report.toString();
    }

    /** Reading details may fail without harm: the name says the most. */
    private Optional<String> details(Check check) {
        StringBuilder text = new StringBuilder(CheckLog.ends(check.said(), LONGEST_SAID));
        if (check.id() > 0) {
            try {
                annotations(check, text);
                if (check.job()) {
                    api.text(path + "/actions/jobs/" + check.id() + "/logs", GitHubHttp.MAX_BYTES)
                            .map(CheckLog::failingPart)
                            .ifPresent(part -> text.append("\nThe failing part of its log:\n")
                                    .append(part.indent(2)));
                }
            } catch (ApiException e) {
                text.append("\n(more about it cannot be read)");
            }
        }
        String all = text.toString().strip();
        return all.isEmpty() ? Optional.empty() : Optional.of(all);
    }

    private void annotations(Check check, StringBuilder text) {
        JsonNode found = api.get(path + "/check-runs/" + check.id() + "/annotations?per_page=" + MOST_ANNOTATIONS);
        for (JsonNode annotation : found) {
            text.append('\n')
                    .append(PullRequest.text(annotation.path("path")))
                    .append(':')
                    .append(annotation.path("start_line").asInt())
                    .append(": ")
                    .append(CheckLog.ends(PullRequest.text(annotation.path("message")), LONGEST_SAID / 3));
        }
    }
}
