package io.maestro.runtime;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.testing.Mdc;
import io.maestro.testkit.ToolTester;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

/** What the log lines of a tool are about. */
class LogContextTest {
    private static final class Shows implements ToolFactory {
        @Override
        public ToolDefinition definition() {
            return ToolDefinition.builder("shows_mdc")
                    .description("Shows the MDC of its thread")
                    .build();
        }

        @Override
        public Tool create(ToolContext context) {
            return call -> ToolResult.ok(new TreeMap<>(MDC.getCopyOfContextMap()).toString());
        }
    }

    @Test
    void aToolHasTheContextOfItsCallAndNothingStays() {
        try (Mdc mdc = new Mdc();
                ToolTester tester = ToolTester.of(new Shows()).story("7").build()) {
            for (String host : new String[] {"first", "second"}) {
                MDC.put("host", host);
                assertThat(tester.call("{}").text())
                        .isEqualTo("{host=" + host + ", maestro.agent=coder-001, maestro.state=CODING, maestro.story=7,"
                                + " maestro.tool=shows_mdc}");
                assertThat(MDC.getCopyOfContextMap()).containsOnlyKeys("host");
            }
        }
    }
}
