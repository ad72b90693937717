package io.maestro.team.internal.coder;

import io.maestro.agent.Architect.Kind;
import io.maestro.agent.Architect.Request;
import io.maestro.git.GitException;
import io.maestro.git.internal.Workspace;
import io.maestro.git.internal.WorkspaceProblem;
import io.maestro.git.internal.diff.TreeDiff;
import io.maestro.inbox.internal.RecordedReply;
import io.maestro.record.AuditLog;
import io.maestro.team.internal.architect.Effects;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What people are shown when they decide: the one place that says which facts belong to which kind of request. A model has planned with
 * the coder, has reviewed the change and has tools to look at it; a person sees what is here, and the story.
 */
final class RequestFacts {
    /** For the lines that say what is not shown. */
    private static final int NOTES = 5_000;

    private RequestFacts() {}

    /** In the order in which one reads them; what was asked comes first. */
    static Map<String, String> forPeople(
            StoryAttempt run, Kind kind, Map<String, String> asked, Supplier<List<AuditLog.Effect>> earlier) {
        boolean change = kind == Kind.CODE_REVIEW || kind == Kind.MERGE || kind == Kind.BUDGET_REVIEW;
        Map<String, String> facts = new LinkedHashMap<>(asked);
        facts.keySet().removeAll(List.of(Request.TESTS, Request.DIFF_STAT, Request.DIFF));
        String log = "";
        if (change) {
            log = tests(run, asked.get(Request.TESTS), facts);
            facts.putIfAbsent(Request.SUMMARY, run.turns().summary());
            facts.put(Request.REVIEW, review(run, earlier.get()));
            change(run, kind, facts);
        }
        if (kind != Kind.PLAN_REVIEW) {
            facts.put(Request.PLAN, run.turns().plan());
        }
        facts.put(Request.TEST_LOG, log);
        facts.values().removeIf(String::isBlank);
        return facts;
    }

    /** Puts one line, and returns the rest. */
    private static String tests(StoryAttempt run, @Nullable String asked, Map<String, String> facts) {
        String headline = run.work().testHeadline();
        if (asked == null && headline == null) {
            return "";
        }
        String report = asked == null ? run.work().testReport() : asked;
        String line = headline != null && report.equals(run.work().testReport())
                ? headline
                : report.lines().findFirst().orElse("");
        facts.put(Request.TESTS, line);
        return report.strip().equals(line.strip()) ? "" : report;
    }

    /** The last one, whoever gave it. */
    private static String review(StoryAttempt run, List<AuditLog.Effect> earlier) {
        String last = "";
        for (AuditLog.Effect effect : earlier) {
            String reply = effect.reply();
            if (effect.attempt() == run.attempt() && effect.kind().equals(Kind.CODE_REVIEW.name()) && reply != null) {
                RecordedReply given = RecordedReply.read(effect.id(), reply);
                last = given.decided()
                        .map(made -> (given.by() + " has decided " + made + ": " + given.message()).strip())
                        .orElse(last);
            }
        }
        return last;
    }

    private static void change(StoryAttempt run, Kind kind, Map<String, String> facts) {
        try {
            Workspace workspace = run.workspace();
            Workspace.Snapshot snapshot = kind == Kind.BUDGET_REVIEW
                    ? workspace.snapshot()
                    : new Workspace.Snapshot(
                            String.valueOf(
                                    kind == Kind.MERGE
                                            ? run.work().reviewedTree()
                                            : run.work().shownTree()),
                            run.baseCommit(),
                            false);
            String diff = TreeDiff.forPeople(
                    workspace.diff(snapshot, null, 1, Effects.MOST_DIFF - NOTES), workspace.diffCommand(snapshot));
            if (!diff.isEmpty()) {
                facts.put(Request.DIFF_STAT, workspace.diffStat(snapshot));
                facts.put(Request.DIFF, diff);
            }
        } catch (WorkspaceProblem | GitException e) {
            if (kind != Kind.BUDGET_REVIEW) {
                // Nobody decides on a change that is not shown.
                throw e;
            }
            // As of what a coder has left in the middle of its work: money is decided on all the same.
            facts.put(Request.DIFF, "The change cannot be shown: " + e.getMessage());
        }
    }
}
