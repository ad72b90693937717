package io.maestro.builtin.internal;

import io.maestro.files.internal.FileWalk;
import io.maestro.files.internal.Globs;
import io.maestro.files.internal.SafeFiles;
import io.maestro.internal.Effort;
import io.maestro.secrets.Redactor;
import io.maestro.tools.Property;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.nio.file.Path;
import java.time.Duration;

/** {@code search_files}: finds the lines of a workspace's files that match. */
final class SearchFilesTool implements ToolFactory {
    private static final int MOST_LOOKED_AT = 200_000;
    private static final long MOST_STEPS = 500_000_000;

    @Override
    public ToolDefinition definition() {
        return ToolDefinition.builder("search_files")
                .description(
                        "Searches the lines of the workspace's text files, and answers as grep -n does: path, line number,"
                                + " line; up to " + LineSearch.MOST_LINES
                                + " matching lines. Files that .gitignore names are left out")
                .input(schema -> schema.requiredString(
                                "pattern", "Regular expression in the syntax of Java, for example class\\s+\\w+Test")
                        .optional("literal", Property.bool("The pattern is a plain text; default false"))
                        .optional("ignore_case", Property.bool("Default false"))
                        .optionalString("glob", "Only files whose path matches, for example **/*.{java,kt}")
                        .optionalString(
                                "path", "Only this file or what is in this directory, relative to the workspace")
                        .optional(
                                "context",
                                Property.integer("Lines to show before and after each match; default 0")
                                        .between(0, 20))
                        .optional("ignored", Property.bool("Search in files that .gitignore names, too; default false"))
                        .optionalString(CoderWorkspace.PARAMETER, CoderWorkspace.DESCRIPTION))
                .pathArguments("path")
                .readOnly()
                .timeLimit(Duration.ofMinutes(1))
                .resultLimit(2 * LineSearch.MOST_CHARACTERS)
                .offeredTo(
                        ToolAudience.CODER_PLANNING,
                        ToolAudience.CODER_CODING,
                        ToolAudience.ARCHITECT,
                        ToolAudience.ARCHITECT_SCOPING,
                        ToolAudience.ARCHITECT_EDITING)
                .build();
    }

    @Override
    public Tool create(ToolContext context) {
        return call -> {
            Path root = CoderWorkspace.of(context, call).directory();
            try {
                Effort effort = new Effort("matching files with the glob", MOST_STEPS);
                LineSearch search = new LineSearch(
                        pattern(call),
                        Globs.of(call.arguments()
                                .optionalString("glob")
                                .filter(glob -> !glob.isBlank())
                                .orElse("**")),
                        SafeFiles.directory(
                                call.arguments().optionalString("path").orElse("")),
                        (int) call.arguments().optionalInteger("context").orElse(0),
                        effort,
                        context.service(Redactor.class).orElse(same -> same));
                boolean all = true;
                try {
                    all = FileWalk.walk(root, MOST_LOOKED_AT, !call.arguments().bool("ignored", false), search);
                } catch (LineSearch.Enough e) {
                    // What was found until then is the answer.
                }
                return ToolResult.ok(search.answer(all));
            } catch (IllegalArgumentException | SafeFiles.RefusedPathException e) {
                return ToolResult.error("nothing was searched: " + e.getMessage());
            } catch (Effort.Exhausted e) {
                return ToolResult.error(e.getMessage() + "; use a simpler one");
            }
        };
    }

    private static LinePattern pattern(ToolCall call) {
        try {
            return LinePattern.of(
                    call.arguments().string("pattern"),
                    call.arguments().bool("literal", false),
                    call.arguments().bool("ignore_case", false));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("the pattern cannot be used: " + e.getMessage(), e);
        }
    }
}
