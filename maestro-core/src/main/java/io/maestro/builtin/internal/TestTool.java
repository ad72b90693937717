package io.maestro.builtin.internal;

import io.maestro.exec.ExecException;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolException;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.time.Duration;

/** {@code test}: runs the project's tests, just as TESTING will. */
final class TestTool implements ToolFactory {
    @Override
    public ToolDefinition definition() {
        return ToolDefinition.builder("test")
                .description("Runs the project's tests, just as they will run after `done`")
                .offeredTo(ToolAudience.CODER_CODING)
                // The tests' own limit comes first, so that the output so far is kept.
                .timeLimit(Duration.ofHours(24))
                .build();
    }

    @Override
    public Tool create(ToolContext context) {
        ProjectTests tests = context.service(ProjectTests.class)
                .orElseThrow(() -> new ToolException("there is nothing that runs tests here", null));
        return call -> {
            try {
                ProjectTests.Report report = tests.run(
                        context.executor(), CoderWorkspace.of(context, call).directory(), call::commandLimit);
                ToolResult.Builder result = ToolResult.builder(report.summary());
                report.exitCode().ifPresent(result::exitCode);
                boolean killed = !report.passed() && report.exitCode().isEmpty();
                return killed ? result.error().build() : result.build();
            } catch (ExecException e) {
                return ToolResult.error(e.getMessage());
            }
        };
    }
}
