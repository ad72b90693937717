package io.maestro.examples.ticket;

import static org.assertj.core.api.Assertions.assertThat;

import io.maestro.testkit.ToolTester;
import io.maestro.testkit.contract.ToolContract;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TicketReportsTest extends ToolContract {
    @Override
    protected ToolFactory factory() {
        return new TicketReports().tools().get(0);
    }

    @Override
    protected void prepare(ToolTester.Builder builder) {
        builder.tool(new TicketTool()); // which it calls
    }

    @Override
    protected String validArguments() {
        return "{\"key\": \"APP-42\", \"findings\": [{\"text\": \"no test\", \"severity\": \"LOW\"}]}";
    }

    @Test
    void writesEachFinding() {
        ToolResult answer = tool.call(Map.of(
                "key",
                "APP-42",
                "findings",
                List.of(
                        Map.of("text", "no test", "severity", "LOW"),
                        Map.of("text", "a leak", "severity", "HIGH", "line", 7))));
        assertThat(answer.text()).isEqualTo("APP-42 Greet in the user's language\nLOW: no test\nHIGH: line 7: a leak");
    }

    @Test
    void aTicketThatIsNotThereGetsNone() {
        ToolResult answer =
                tool.call(Map.of("key", "APP-99", "findings", List.of(Map.of("text", "no test", "severity", "LOW"))));
        assertThat(answer.isError()).isTrue();
        assertThat(answer.text()).contains("no ticket APP-99");
    }

    @Test
    void aFaultDeepInTheArgumentsIsNamed() {
        ToolResult answer = tool.call(
                Map.of("key", "APP-42", "findings", List.of(Map.of("text", "no test", "severity", "medium"))));
        assertThat(answer.isError()).isTrue();
        assertThat(answer.text()).contains("$.findings[0].severity");
    }
}
