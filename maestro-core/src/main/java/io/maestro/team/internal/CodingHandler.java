package io.maestro.team.internal;

import io.maestro.agent.CoderState;
import io.maestro.environment.Phase;
import io.maestro.git.internal.WorkspaceProblem;
import io.maestro.tools.ToolSignal;

/** CODING: the coder changes the workspace until it says that it is done. */
final class CodingHandler extends ThinkingHandler {
    private final Rounds rounds;

    CodingHandler(Thinking thinking, Rounds rounds) {
        super(thinking, Phase.CODING);
        this.rounds = rounds;
    }

    @Override
    public Next handle(StoryRun run) {
        while (true) {
            Next next = super.handle(run);
            if (next.state() != CoderState.TESTING) {
                return next;
            }
            try {
                // Another image is a change, too, although it is in no file.
                return run.workspace().snapshot().empty() && !run.progress.containerModified
                        ? new Next(CoderState.CODE_REVIEW, "done, without a change")
                        : next;
            } catch (WorkspaceProblem e) {
                // Only the coder can mend what lies in its workspace, so it goes on at once.
                rounds.sendBack(run, CoderState.CODING, e.getMessage());
                tellMore(run, "Your work cannot be committed: " + e.getMessage());
            }
        }
    }

    @Override
    Next completed(StoryRun run, ToolSignal signal) {
        run.progress.summary = Signals.text(signal, "summary");
        return new Next(CoderState.TESTING, "done");
    }
}
