package io.maestro.team.internal.coder;

import io.maestro.environment.Phase;
import io.maestro.git.internal.Workspace;
import io.maestro.git.internal.WorkspaceProblem;
import io.maestro.story.CoderState;
import io.maestro.team.internal.loop.Signals;
import io.maestro.team.internal.machine.Next;
import io.maestro.tools.ToolSignal;

/** CODING: the coder changes the workspace until it says that it is done. */
public final class CodingHandler extends WorkHandler {
    private final ReviewRounds rounds;
    private final TestRuns tests;

    public CodingHandler(CoderDriver driver, ReviewRounds rounds, TestRuns tests) {
        super(driver, Phase.CODING);
        this.rounds = rounds;
        this.tests = tests;
    }

    @Override
    void prepare(StoryAttempt run) {
        tests.setUp(run);
    }

    @Override
    public Next<CoderState> handle(StoryAttempt run) {
        run.requireCoder();
        while (true) {
            Next<CoderState> next = super.handle(run);
            if (next.state() != CoderState.TESTING) {
                return next;
            }
            try {
                Workspace.Snapshot snapshot = run.workspace().snapshot();
                run.workspace().requireCommittable(snapshot);
                // Another image is a change, too, although it is in no file.
                return snapshot.empty() && run.images().forProject() == null
                        ? new Next<>(CoderState.CODE_REVIEW, "done, without a change")
                        : next;
            } catch (WorkspaceProblem e) {
                // Only the coder can mend what lies in its workspace, so it goes on at once.
                rounds.sendBack(run, CoderState.CODING, e.getMessage());
                tellMore(run, "Your work cannot be committed: " + e.getMessage());
            }
        }
    }

    @Override
    Next<CoderState> completed(StoryAttempt run, ToolSignal signal) {
        run.turns().summarised(Signals.text(signal, "summary"));
        return new Next<>(CoderState.TESTING, "done");
    }
}
