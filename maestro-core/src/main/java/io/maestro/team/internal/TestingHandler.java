package io.maestro.team.internal;

import io.maestro.agent.CoderState;

/** TESTING: the project's tests run on what the coder has made; the image that it has chosen is checked first. */
final class TestingHandler implements StateHandler {
    private final TestRuns tests;

    TestingHandler(TestRuns tests) {
        this.tests = tests;
    }

    @Override
    public Next handle(StoryRun run) {
        TestRuns.Report report = tests.run(run);
        run.progress.testReport = report.summary();
        if (report.passed()) {
            return new Next(CoderState.CODE_REVIEW, report.headline());
        }
        run.progress.guidance.add(report.fault() + ". Mend that, then call `done` again.\n\n" + report.summary());
        return new Next(CoderState.CODING, report.headline());
    }
}
