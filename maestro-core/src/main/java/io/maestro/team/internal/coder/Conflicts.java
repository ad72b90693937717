package io.maestro.team.internal.coder;

import io.maestro.git.internal.Workspace;
import io.maestro.story.CoderState;
import io.maestro.team.internal.machine.Next;
import java.util.List;
import java.util.stream.Collectors;

/** A story's change conflicts with what others have merged: its coder resolves it. */
final class Conflicts {
    /** Lines that a coder is shown of what may be thousands. */
    private static final int MOST = 100;

    private Conflicts() {}

    /**
     * Back to CODING, where the files are what git makes of such a conflict.
     *
     * @param asks whether the architect is asked first
     */
    static Next<CoderState> back(StoryAttempt run, Workspace.Integration integration, boolean asks) {
        run.rebased();
        String facts = "git says:" + list(integration.said()) + "\n\nWhat lies there now:"
                + list(integration.conflicts().entrySet().stream()
                        .map(file -> file.getKey() + ": " + file.getValue())
                        .toList());
        run.guidance()
                .tell("Others have merged into " + run.workspace().targetBranch()
                        + " meanwhile, and your change conflicts with theirs. Their changes are in your workspace now. "
                        + facts
                        + "\n\nKeep what both sides meant, delete conflict markers (<<<<<<<, =======, >>>>>>>), run the"
                        + " tests, then call `done` again.");
        if (asks) {
            run.asksBeforeCoding("Others have merged into " + run.workspace().targetBranch()
                    + " meanwhile, and this story's change conflicts with theirs. How should the coder resolve it: what of each"
                    + " side is to be kept? " + facts);
        }
        return new Next<>(
                asks ? CoderState.QUESTION : CoderState.CODING,
                "conflicts in " + String.join(", ", integration.conflicts().keySet()));
    }

    private static String list(List<String> lines) {
        int more = lines.size() - MOST;
        return lines.stream().limit(MOST).map(line -> "\n- " + line).collect(Collectors.joining())
                + (more > 0 ? "\n- and " + more + " more" : "");
    }
}
