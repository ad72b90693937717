package io.maestro.team.internal.coder;

import io.maestro.environment.Equipment;
import io.maestro.llm.LlmClient;
import io.maestro.team.internal.loop.ToolLoop;
import java.util.List;

/** Works in PLANNING and CODING: a model that Maestro asks itself, or a program that a coder mode brings. */
public interface CoderDriver {
    /** The model, or the program: who has written what it commits. */
    String author();

    /** The services of models that it asks. */
    List<LlmClient> services();

    /** What the environment of a coder must have. */
    default Equipment equipment(String agentId) {
        return Equipment.NONE;
    }

    /** Works in the state that the run is in, until its end. What the run has not told yet is told first. */
    ToolLoop.LoopOutcome work(StoryAttempt run);

    /** The coder stays in its state although its turn was ended: that end is acted on, and this is told in the next turn. */
    void tellMore(StoryAttempt run, String text);

    /** The coder leaves the state, other than for an answer that its turn waits for. */
    default void leave(StoryAttempt run) {}

    /** The attempt ends, or stops: nothing of it goes on here. */
    void end(StoryAttempt run);
}
