package io.maestro.claude.internal.coder;

import io.maestro.mcp.McpCall;
import io.maestro.mcp.McpTools;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolResult;
import java.util.List;
import java.util.function.Supplier;

/** The tools of the run that is on: a server outlives runs. */
record CurrentTools(Supplier<CoderTools> current) implements McpTools {
    @Override
    public List<ToolDefinition> list() {
        return current.get().list();
    }

    @Override
    public ToolResult call(McpCall call) {
        return current.get().call(call);
    }
}
