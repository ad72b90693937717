package io.maestro.team.internal.coder;

import io.maestro.agent.Limits;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.team.internal.loop.Meter;
import io.maestro.team.internal.machine.StopSignal;
import io.maestro.team.internal.story.StoryProgress;

/** Runs of stories that nobody drives. */
public final class TestRun {
    private TestRun() {}

    /** A run of the coder-001, in a session called "session". */
    public static StoryAttempt of(Story story, int attempt, StoryProgress progress, CoderState state) {
        return new StoryAttempt(
                new StoryAttempt.Assignment(story, attempt, "session", "coder-001", null),
                new Meter(Limits.defaults()),
                progress,
                state,
                new StopSignal());
    }
}
