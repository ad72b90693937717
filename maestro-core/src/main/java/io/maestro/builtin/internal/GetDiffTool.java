package io.maestro.builtin.internal;

import io.maestro.runtime.internal.WorkspaceView;
import io.maestro.tools.Property;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;

/** {@code get_diff}: shows what a coder has changed, uncommitted and new files included. */
final class GetDiffTool implements ToolFactory {
    @Override
    public ToolDefinition definition() {
        return ToolDefinition.builder("get_diff")
                .description(
                        "Shows the difference between the workspace and the target branch, with uncommitted and new"
                                + " files, as a unified diff; up to 10,000 lines or 1 MB of it in one call, from first_line"
                                + " on; where it goes on, the last line of the answer says with which line")
                .input(schema -> schema.optionalString(
                                "path",
                                "Only this file or directory, relative to the workspace, with the whole of its long lines")
                        .optional(
                                "first_line",
                                Property.integer("First line of the diff to show, from 1")
                                        .between(1, 100_000_000))
                        .optionalString(CoderWorkspace.PARAMETER, CoderWorkspace.DESCRIPTION))
                .pathArguments("path")
                .readOnly()
                // Marks may be longer than the secrets that they stand for.
                .resultLimit(2 * WorkspaceView.MOST_OF_A_DIFF)
                .offeredTo(ToolAudience.CODER_CODING, ToolAudience.ARCHITECT)
                .build();
    }

    @Override
    public Tool create(ToolContext context) {
        return call -> {
            String path = call.arguments().optionalString("path").orElse("");
            long first = call.arguments().optionalInteger("first_line").orElse(1);
            String diff = CoderWorkspace.of(context, call).diff(path, first, WorkspaceView.MOST_OF_A_DIFF);
            String none = first > 1 ? "the diff has no line " + first : "there is no difference";
            return ToolResult.ok(diff.isEmpty() ? none : diff);
        };
    }
}
