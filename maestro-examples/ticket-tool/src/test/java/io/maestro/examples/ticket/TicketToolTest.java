package io.maestro.examples.ticket;

import static org.assertj.core.api.Assertions.assertThat;

import io.maestro.testkit.contract.ToolContract;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What every tool must do, and what this one does. */
class TicketToolTest extends ToolContract {
    @Override
    protected ToolFactory factory() {
        return new TicketTool();
    }

    @Override
    protected String validArguments() {
        return "{\"key\": \"APP-42\"}";
    }

    @Test
    void saysWhichTicketsThereAre() {
        ToolResult answer = tool.call(Map.of("key", "APP-99"));
        assertThat(answer.isError()).isTrue();
        assertThat(answer.text()).contains("APP-99", "APP-42");
    }
}
