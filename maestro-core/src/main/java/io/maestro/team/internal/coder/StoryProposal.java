package io.maestro.team.internal.coder;

import io.maestro.git.Forge;
import io.maestro.git.internal.GitRepository;
import io.maestro.git.internal.text.ForgeText;
import io.maestro.prompt.internal.Prompts;
import io.maestro.secrets.Redactor;
import java.math.RoundingMode;
import java.util.Map;

/** Makes the proposal of a story to the forge. All of it that agents and tests have written is that of {@link ForgeText}. */
final class StoryProposal {
    private static final int LONGEST_SUMMARY = 8_000;
    private static final int LONGEST_STORY = 16_000;
    private static final int LONGEST_REPORT = 3_000;
    private static final int LONGEST_REASON = 1_000;

    private final GitRepository git;
    private final Prompts prompts;
    private final ForgeText texts;

    StoryProposal(GitRepository git, Prompts prompts, Redactor redactor) {
        this.git = git;
        this.prompts = prompts;
        this.texts = new ForgeText(redactor);
    }

    Forge.Proposal of(StoryAttempt run) {
        String summary = run.turns().summary();
        return new Forge.Proposal(
                run.story().id(),
                run.attempt(),
                texts.title(run.story().title()),
                texts.message(summary.isEmpty() ? run.story().content() : summary),
                git.mirror(),
                git.url(),
                run.workspace().branch(),
                run.work().commit(),
                run.workspace().baseCommit(),
                run.workspace().targetBranch(),
                run.progress().published().earlierCommits(),
                text(run, summary));
    }

    /** Why a story ends without being merged, as a forge shows it. */
    String reason(String said) {
        return texts.plain(said, LONGEST_REASON);
    }

    private String text(StoryAttempt run, String summary) {
        String report = run.work().isTested(String.valueOf(run.work().reviewedTree()))
                ? run.work().testReport()
                : "";
        String title = texts.plain(run.story().title(), LONGEST_SUMMARY);
        return prompts.render(
                "pull-request",
                Map.of(
                        "id", run.story().id(),
                        "title", title,
                        "attempt", Integer.toString(run.attempt()),
                        "what", summary.isEmpty() ? title : texts.plain(summary, LONGEST_SUMMARY),
                        "why", texts.plain(run.story().content(), LONGEST_STORY),
                        "tests", report.isEmpty() ? "" : texts.fenced(report, LONGEST_REPORT),
                        "cost",
                                run.meter()
                                        .knownCost()
                                        .map(cost -> "$"
                                                + cost.setScale(2, RoundingMode.HALF_UP)
                                                        .toPlainString())
                                        .orElse("")));
    }
}
