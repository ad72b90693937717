package io.maestro.team.internal.coder;

import io.maestro.agent.CoderState;
import io.maestro.team.internal.machine.Next;
import java.util.List;

/** A story's change conflicts with what others have merged: its coder resolves it. */
final class Conflicts {
    private Conflicts() {}

    /** Back to CODING, where the files hold conflict markers now. */
    static Next<CoderState> back(StoryRun run, List<String> files) {
        run.rebased();
        run.guidance()
                .tell("Others have merged into " + run.workspace().targetBranch()
                        + " meanwhile, and your change conflicts with theirs. Their changes are in your workspace now. These files"
                        + " hold both versions between conflict markers (<<<<<<<, =======, >>>>>>>):\n\n- "
                        + String.join("\n- ", files)
                        + "\n\nKeep what both sides meant, remove the markers, run the tests, then call `done` again.");
        return new Next<>(CoderState.CODING, "conflicts in " + String.join(", ", files));
    }
}
