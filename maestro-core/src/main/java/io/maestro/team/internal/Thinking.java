package io.maestro.team.internal;

/** Who thinks in PLANNING and CODING: a model that Maestro asks itself, or a program that a coder mode brings. */
interface Thinking {
    /** Works in the state that the run is in, until its end. The guidance that waits there is the first that is told. */
    ToolLoop.Outcome think(StoryRun run);

    /** The coder stays in its state although its turn was ended: that end is acted on, and this is told in the next turn. */
    void tellMore(StoryRun run, String text);

    /** The coder leaves the state, other than for an answer that its turn waits for. */
    default void leave(StoryRun run) {}
}
