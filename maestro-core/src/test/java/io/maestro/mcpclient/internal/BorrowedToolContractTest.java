package io.maestro.mcpclient.internal;

import io.maestro.testkit.contract.ToolContract;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** A tool of an MCP server, by the contract of tools. */
class BorrowedToolContractTest extends ToolContract {
    private static McpLab lab;
    private static ToolFactory borrowed;

    @BeforeAll
    static void start(@TempDir Path place) throws Exception {
        lab = new McpLab(place);
        String schema =
                "{\"type\":\"object\",\"properties\":{\"text\":{\"type\":\"string\",\"description\":\"What to say\"}},"
                        + "\"required\":[\"text\"],\"additionalProperties\":false}";
        lab.start(lab.server(McpLab.tool("echo", "Says a text", schema), "text hello"));
        borrowed = new ToolFactory() {
            @Override
            public ToolDefinition definition() {
                return lab.registry.definitions().get(0);
            }

            @Override
            public Tool create(ToolContext context) {
                return lab.registry.agentTools(context).get(definition().name());
            }
        };
    }

    @AfterAll
    static void end() throws Exception {
        lab.close();
    }

    @Override
    protected ToolFactory factory() {
        return borrowed;
    }

    @Override
    protected String validArguments() {
        return "{\"text\":\"hello\"}";
    }

    @Override
    protected boolean announced() {
        return false;
    }
}
