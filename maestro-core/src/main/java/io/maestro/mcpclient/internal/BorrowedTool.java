package io.maestro.mcpclient.internal;

import io.maestro.mcpclient.McpSource;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;

/** A tool of an MCP server, as one of Maestro's. */
record BorrowedTool(McpSource source, BorrowedServer server, ToolListing offer) implements ToolFactory {
    @Override
    public ToolDefinition definition() {
        ToolAudience[] audiences = source.audiences().toArray(ToolAudience[]::new);
        return ToolDefinition.builder(offer.name())
                .description(offer.description())
                .input(offer.input())
                .offeredTo(audiences[0], audiences)
                .timeLimit(source.timeLimit())
                .build();
    }

    @Override
    public Tool create(ToolContext context) {
        return call -> server.call(offer, call);
    }
}
