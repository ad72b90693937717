package io.maestro.docker.internal.tools;

import io.maestro.docker.internal.environment.DockerProject;
import io.maestro.environment.Environments;
import io.maestro.exec.Executor;
import io.maestro.tools.ToolArguments;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.util.Map;
import java.util.Optional;

/** Calls the tools of a project as a coder would, without a model. */
final class ToolCaller {
    private final Environments project;
    private final boolean planning;

    ToolCaller(DockerProject project, boolean planning) {
        this.project = project;
        this.planning = planning;
    }

    ToolResult call(String name, Map<String, ?> arguments) {
        ToolFactory factory = project.tools().stream()
                .filter(tool -> tool.definition().name().equals(name))
                .findFirst()
                .orElseThrow();
        try {
            return factory.create(new Context())
                    .execute(new ToolCall(
                            "1",
                            name,
                            ToolArguments.of(arguments),
                            factory.definition().timeLimit()));
        } catch (Exception e) {
            throw new AssertionError(name + " " + arguments, e);
        }
    }

    private final class Context implements ToolContext {
        @Override
        public String agentId() {
            return "coder-001";
        }

        @Override
        public Optional<String> storyId() {
            return Optional.of("7");
        }

        @Override
        public ToolAudience audience() {
            return planning ? ToolAudience.CODER_PLANNING : ToolAudience.CODER_CODING;
        }

        @Override
        public boolean readOnly() {
            return planning;
        }

        @Override
        public Executor executor() {
            throw new UnsupportedOperationException();
        }

        @Override
        public <T> Optional<T> service(Class<T> type) {
            return Optional.ofNullable(type.cast(project.services().get(type)));
        }
    }
}
