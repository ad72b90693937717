package io.maestro.team.internal.coder;

import io.maestro.story.CoderState;
import io.maestro.team.internal.architect.Effects;
import io.maestro.team.internal.machine.Next;

/** Handlers of single states. */
public final class TestHandlers {
    private TestHandlers() {}

    /** QUESTION. */
    public static Next<CoderState> question(Effects effects, StoryAttempt run) {
        return new QuestionHandler(effects).handle(run);
    }
}
