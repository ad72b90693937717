package io.maestro.tools.typed;

import io.maestro.exec.Executor;
import io.maestro.tools.ToolArguments;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Calls tools without a runtime: what no schema has checked arrives, too. */
final class Calls {
    private Calls() {}

    static ToolResult call(ToolFactory factory, Map<String, ?> arguments) throws Exception {
        return factory.create(new Context())
                .execute(new ToolCall(
                        "call-1", factory.definition().name(), ToolArguments.of(arguments), Duration.ofSeconds(9)));
    }

    private record Context() implements ToolContext {
        @Override
        public String agentId() {
            return "coder-007";
        }

        @Override
        public Optional<String> storyId() {
            return Optional.empty();
        }

        @Override
        public ToolAudience audience() {
            return ToolAudience.CODER_CODING;
        }

        @Override
        public boolean readOnly() {
            return false;
        }

        @Override
        public Executor executor() {
            throw new IllegalStateException("no test runs commands");
        }

        @Override
        public <T> Optional<T> service(Class<T> type) {
            return Optional.empty();
        }
    }
}
