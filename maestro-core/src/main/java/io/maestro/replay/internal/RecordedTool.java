package io.maestro.replay.internal;

import io.maestro.record.AuditLog;
import io.maestro.tools.InputSchema;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;

/** A tool that has effects elsewhere: its answers come from the record. */
public record RecordedTool(Recording recording, String name) implements ToolFactory {
    @Override
    public ToolDefinition definition() {
        return ToolDefinition.builder(name)
                .description("Answers as it did when the story was recorded")
                .input(InputSchema.of(InputSchema.Builder::allowAdditionalProperties))
                .offeredTo(ToolAudience.CODER_PLANNING, ToolAudience.CODER_CODING)
                .build();
    }

    @Override
    public Tool create(ToolContext context) {
        return call -> recording.calls().stream()
                .filter(one -> one.callId().equals(call.id()) && one.tool().equals(name))
                .findFirst()
                .map(RecordedTool::answer)
                .orElseGet(() -> ToolResult.error("the record has no call " + call.id() + " of " + name));
    }

    private static ToolResult answer(AuditLog.ToolExecution call) {
        ToolResult.Builder result =
                ToolResult.builder(String.valueOf(call.error() != null ? call.error() : call.result()));
        Integer exitCode = call.exitCode();
        if (exitCode != null) {
            result.exitCode(exitCode);
        }
        return call.error() != null ? result.error().build() : result.build();
    }
}
