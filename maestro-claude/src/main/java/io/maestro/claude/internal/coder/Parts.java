package io.maestro.claude.internal.coder;

import io.maestro.claude.ClaudeListener;
import io.maestro.coder.CoderTask;
import io.maestro.mcp.McpTools;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * What the CLI of one coder is connected with.
 *
 * @param task what it works on
 * @param tools what it calls
 * @param mayAsk whether it may ask a model once more; blocks while it is being ended
 * @param listener what watches it
 * @param happenings gets what the story's thread must know
 */
record Parts(
        CoderTask task,
        McpTools tools,
        BooleanSupplier mayAsk,
        ClaudeListener listener,
        Consumer<Happening> happenings) {}
