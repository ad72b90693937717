package io.maestro.examples.demo;

import io.maestro.record.AuditLog;
import io.maestro.story.StoryResult;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;

/** What is said at the end: the merged commit, what it changed, and the calls of tools as the record has them. */
final class Summary {
    private final PrintStream out;
    private final Git git;
    private final AuditLog audit;

    Summary(PrintStream out, Git git, AuditLog audit) {
        this.out = out;
        this.git = git;
        this.audit = audit;
    }

    void print(Origin origin, StoryResult result) {
        out.println();
        out.println("outcome     " + result.outcome() + " after " + seconds(result.duration()) + ", "
                + result.usage().totalTokens() + " tokens");
        result.error().ifPresent(error -> out.println("error       " + error));
        result.branch().ifPresent(branch -> out.println("branch      " + branch));
        result.mergeCommit().ifPresent(commit -> out.println("merged as   " + commit));
        if (result.mergeCommit().isPresent() && git.succeeds("-C", origin.url(), "rev-parse", "--git-dir")) {
            out.println();
            out.println(git.run(
                    "-C",
                    origin.url(),
                    "diff",
                    "--stat",
                    result.mergeCommit().get() + "^1",
                    result.mergeCommit().get()));
        }
        out.println();
        boolean again = result.attempt() > 1;
        out.printf(
                "%s%-15s %-14s %-16s %9s  %s%n",
                again ? "attempt  " : "", "agent", "state", "tool", "duration", "exit");
        for (AuditLog.ToolExecution call : audit.toolExecutions(result.storyId())) {
            out.printf(
                    "%s%-15s %-14s %-16s %9s  %s%n",
                    again ? "%-9d".formatted(call.attempt()) : "",
                    call.agentId(),
                    call.state(),
                    call.tool(),
                    seconds(Duration.ofMillis(call.durationMillis())),
                    call.error() != null ? "error" : call.exitCode() == null ? "-" : call.exitCode());
        }
        out.println();
        out.println("record      " + audit.location());
    }

    private static String seconds(Duration duration) {
        return String.format(Locale.ROOT, "%.3f s", duration.toMillis() / 1000.0);
    }
}
