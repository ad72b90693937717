package io.maestro.team.internal.coder;

import io.maestro.audit.Redactor;
import io.maestro.git.Forge;
import io.maestro.git.internal.GitRepository;
import io.maestro.prompt.internal.Prompts;
import java.math.RoundingMode;
import java.util.Map;

/** What a story proposes to the forge. What people read there has no secrets in it. */
final class StoryProposal {
    private static final int LONGEST_REPORT = 3000;

    private final GitRepository git;
    private final Prompts prompts;
    private final Redactor redactor;

    StoryProposal(GitRepository git, Prompts prompts, Redactor redactor) {
        this.git = git;
        this.prompts = prompts;
        this.redactor = redactor;
    }

    Forge.Proposal of(StoryRun run) {
        String summary = run.turns().summary();
        return new Forge.Proposal(
                run.story().id(),
                run.attempt(),
                redactor.redact(run.story().title()),
                redactor.redact(summary.isEmpty() ? run.story().content() : summary),
                git.mirror(),
                git.url(),
                run.workspace().branch(),
                run.work().commit(),
                run.workspace().baseCommit(),
                run.workspace().targetBranch(),
                run.earlierCommits(),
                redactor.redact(text(run, summary)));
    }

    private String text(StoryRun run, String summary) {
        String report = run.work().isTested(String.valueOf(run.work().reviewedTree()))
                ? run.work().testReport()
                : "";
        String tests = redactor.redact(report);
        return prompts.render(
                "pull-request",
                Map.of(
                        "id", run.story().id(),
                        "title", run.story().title(),
                        "attempt", Integer.toString(run.attempt()),
                        "what", summary.isEmpty() ? run.story().title() : summary,
                        "why", run.story().content(),
                        "tests",
                                tests.length() <= LONGEST_REPORT
                                        ? tests
                                        : "…" + tests.substring(tests.length() - LONGEST_REPORT),
                        "cost",
                                run.meter()
                                        .knownCost()
                                        .map(cost -> "$"
                                                + cost.setScale(2, RoundingMode.HALF_UP)
                                                        .toPlainString())
                                        .orElse("")));
    }
}
