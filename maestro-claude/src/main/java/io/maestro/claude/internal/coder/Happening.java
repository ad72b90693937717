package io.maestro.claude.internal.coder;

import io.maestro.claude.ClaudeResult;
import io.maestro.claude.ClaudeRun;
import io.maestro.tools.ToolSignal;

/** What the thread of a story waits for while the CLI works. */
sealed interface Happening {
    /** A turn has ended. */
    record Ended(ClaudeRun run, ClaudeResult result) implements Happening {}

    /** The model asks, and its call is held open. */
    record Asked(ToolSignal signal) implements Happening {}

    /** Something failed on another thread that the story cannot go on with. */
    record Broken(RuntimeException failure) implements Happening {}
}
