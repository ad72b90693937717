package io.maestro.mcp;

import io.maestro.tools.ToolResult;
import java.util.List;
import java.util.Objects;

/**
 * What a tool answers over the protocol.
 *
 * @param result its text and data
 * @param more what comes after the text; nothing for most tools. Nobody takes secrets out of it
 */
public record McpAnswer(ToolResult result, List<McpContent> more) {
    /**
     * Copies the list.
     *
     * @param result its text and data
     * @param more what comes after the text
     */
    public McpAnswer {
        Objects.requireNonNull(result, "result");
        more = List.copyOf(more);
    }
}
