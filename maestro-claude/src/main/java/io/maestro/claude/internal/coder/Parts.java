package io.maestro.claude.internal.coder;

import io.maestro.agent.spi.AgentContext;
import io.maestro.claude.ClaudeListener;
import io.maestro.mcp.McpTools;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntSupplier;

/**
 * What the CLI of one coder is connected with.
 *
 * @param task what it works on
 * @param tools what it calls
 * @param mayAsk whether it may ask a model once more; blocks while it is being ended
 * @param listener what watches it
 * @param told takes note of each text that the model was told, after its role: {@code system} or {@code user}
 * @param happenings gets what the story's thread must know
 * @param turnsLeft how many answers of the model the visit has left, of all processes that are started for it
 */
record Parts(
        AgentContext task,
        McpTools tools,
        BooleanSupplier mayAsk,
        ClaudeListener listener,
        BiConsumer<String, String> told,
        Consumer<Happening> happenings,
        IntSupplier turnsLeft) {
    /** Why no model may be asked any more, if a budget is used up. */
    Optional<String> spent() {
        return task.exceeded()
                .or(() -> turnsLeft.getAsInt() > 0
                        ? Optional.empty()
                        : Optional.of("all " + task.limits().turnsPerState() + " turns are used up"));
    }
}
