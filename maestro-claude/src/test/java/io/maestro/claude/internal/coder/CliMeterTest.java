package io.maestro.claude.internal.coder;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.claude.GatewayClient;
import io.maestro.error.MaestroException;
import io.maestro.error.RetriableException;
import io.maestro.llm.Usage;
import io.maestro.mcp.McpCall;
import io.maestro.mcp.McpTools;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a gateway asks before each request of the CLI. */
class CliMeterTest {
    private final FakeTask task = new FakeTask();
    private final List<Happening> happenings = new ArrayList<>();
    private final CliMeter meter = new CliMeter(
            new Parts(
                    task,
                    new McpTools() {
                        @Override
                        public List<ToolDefinition> list() {
                            return List.of();
                        }

                        @Override
                        public ToolResult call(McpCall call) {
                            return ToolResult.error("none");
                        }
                    },
                    () -> true,
                    event -> {},
                    (role, text) -> {},
                    happenings::add,
                    () -> 50),
            "sonnet");

    @Test
    void eachRequestIsReservedByItsSizeAndEnded() {
        GatewayClient.Exchange first = meter.begin(new GatewayClient.Request("claude-x-1", 3000, 77, false));
        GatewayClient.Exchange second = meter.begin(new GatewayClient.Request("sonnet", 1000, 64000, false));
        assertThat(task.reserved).containsExactly("claude-x-1 3000 77", "sonnet 1000 64000");
        first.used("claude-x-1-20270101", new Usage(1, 2, 3, 4));
        second.failed(true);
        assertThat(task.ended).containsExactly("claude-x-1-20270101 10", "failed true");
        assertThat(happenings).isEmpty();
    }

    @Test
    void theTimeThatTheApiHasNamedCountsForTheProcessThatItRefused() {
        assertThat(meter.retryAfter()).isEmpty();
        meter.askedToWait(Duration.ofHours(5));
        assertThat(meter.retryAfter())
                .hasValueSatisfying(left -> assertThat(left).isBetween(Duration.ofHours(4), Duration.ofHours(5)));
        meter.begin();
        assertThat(meter.retryAfter()).isEmpty();
    }

    @Test
    void aHardLimitThatIsReachedEndsTheStory() {
        MaestroException reached = new MaestroException("the hard limit is reached");
        task.refusal = reached;
        assertThatThrownBy(() -> meter.begin(new GatewayClient.Request("m", 0, 1, false)))
                .isSameAs(reached);
        assertThat(happenings).containsExactly(new Happening.Broken(reached));
        assertThat(meter.refusal()).contains("Maestro cannot go on with this story");
    }

    @Test
    void aLimitThatOthersUnderWayHaveReachedIsTriedAgain() {
        task.refusal = new RetriableException("others are under way", null, null);
        assertThatThrownBy(() -> meter.begin(new GatewayClient.Request("m", 0, 1, false)))
                .isSameAs(task.refusal);
        assertThat(happenings).isEmpty();
        assertThat(meter.refusal()).isEmpty();
    }
}
