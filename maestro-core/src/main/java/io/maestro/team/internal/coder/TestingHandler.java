package io.maestro.team.internal.coder;

import io.maestro.git.internal.Workspace;
import io.maestro.story.CoderState;
import io.maestro.team.internal.machine.Next;
import io.maestro.team.internal.machine.StateHandler;

/** TESTING: the project's tests run on what the coder has made; the image that it has chosen is checked first. */
public final class TestingHandler implements StateHandler<CoderState, StoryAttempt> {
    private final TestRuns tests;

    public TestingHandler(TestRuns tests) {
        this.tests = tests;
    }

    @Override
    public Next<CoderState> handle(StoryAttempt run) {
        Workspace.Snapshot snapshot = run.workspace().snapshotForReview();
        TestRuns.TestRunReport report = tests.run(run, snapshot);
        report.noteIn(run.work(), snapshot.tree());
        if (report.passed()) {
            return new Next<>(CoderState.CODE_REVIEW, report.headline());
        }
        run.guidance().tell(report.fault() + ". Mend that, then call `done` again.\n\n" + report.summary());
        return new Next<>(CoderState.CODING, report.headline());
    }
}
