package io.maestro.team.internal.coder;

import io.maestro.agent.Architect;
import io.maestro.git.internal.Workspace;
import io.maestro.record.internal.Store;
import io.maestro.story.CoderState;
import io.maestro.team.internal.architect.Effects;
import io.maestro.team.internal.machine.Next;
import io.maestro.team.internal.machine.StateHandler;
import java.util.LinkedHashMap;
import java.util.Map;

/** CODE_REVIEW: the architect looks at the difference to the target branch. What it approves is what gets committed. */
public final class CodeReviewHandler implements StateHandler<CoderState, StoryAttempt> {
    /** A short difference saves the architect a call of get_diff; the rest of a long one it gets there. */
    private static final int DIFF_CHARACTERS = 20_000;

    private final Effects effects;
    private final Store store;

    public CodeReviewHandler(Effects effects, Store store) {
        this.effects = effects;
        this.store = store;
    }

    @Override
    public Next<CoderState> handle(StoryAttempt run) {
        Workspace.Snapshot snapshot = run.workspace().snapshotForReview();
        if (!snapshot.empty() && !run.work().isTested(snapshot.tree())) {
            run.guidance()
                    .tell(
                            "Files in your workspace have changed since the project's tests passed; see that nothing writes there any"
                                    + " more, then call `done` again.");
            return new Next<>(CoderState.CODING, "files changed after the tests");
        }
        run.workspace().requireCommittable(snapshot);
        boolean answered = effects.isAnswered(run);
        if (!answered && !run.work().isShown(snapshot.tree(), run.step())) {
            run.save(store, () -> run.work().show(snapshot.tree(), run.step()));
        }
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put(Architect.Request.SUMMARY, run.turns().summary());
        if (snapshot.empty()) {
            facts.put(Architect.Request.TESTS, withoutDifference(run));
        } else {
            facts.put(Architect.Request.TESTS, run.work().testReport());
            facts.put(Architect.Request.DIFF_STAT, run.workspace().diffStat(snapshot));
            facts.put(Architect.Request.DIFF, run.workspace().diff(snapshot, null, 1, DIFF_CHARACTERS));
        }
        Architect.Reply reply = effects.ask(run, Architect.Kind.CODE_REVIEW, facts);
        if (!run.approved(reply, "your change")) {
            return new Next<>(CoderState.CODING, "the architect wants changes");
        }
        if (answered && isAboutAnother(run, snapshot)) {
            run.guidance()
                    .tell("Files in your workspace have changed since the architect looked at them; see what"
                            + " is left over, then call `done` again.");
            return new Next<>(CoderState.CODING, "files changed after the review");
        }
        if (snapshot.empty()) {
            if (run.images().forProject() != null) {
                ImageApproval.of(run);
                return new Next<>(CoderState.DONE, "no file was changed, but the container image");
            }
            return new Next<>(CoderState.DONE, "no change was needed");
        }
        run.work().reviewed(snapshot.tree());
        return new Next<>(CoderState.PREPARE_MERGE, "change approved");
    }

    private static String withoutDifference(StoryAttempt run) {
        return run.images().forProject() != null
                ? "There is no difference: the coder has changed no file. It wants the project to use the container image "
                        + run.images().forProject() + " from now on.\n\n"
                        + run.work().testReport()
                : "Not run: there is no difference, the coder has changed nothing. Is the story done without a change?";
    }

    /**
     * The reply is in the record, and is about other files: its process was killed before it could act on the reply, and
     * commands that outlived it went on writing.
     */
    private static boolean isAboutAnother(StoryAttempt run, Workspace.Snapshot snapshot) {
        return run.work().isAnotherShown(snapshot.tree(), run.step());
    }
}
