package io.maestro.builtin.internal;

import io.maestro.files.internal.FileWalk;
import io.maestro.files.internal.Globs;
import io.maestro.internal.Effort;
import io.maestro.internal.RawName;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** {@code list_files}: lists the files of a workspace that match a pattern, newest first. */
final class ListFilesTool implements ToolFactory {
    private static final int LIMIT = 1000;
    private static final int MOST_LOOKED_AT = 200_000;
    private static final long MOST_STEPS = 500_000_000;

    @Override
    public ToolDefinition definition() {
        return ToolDefinition.builder("list_files")
                .description("Lists files of the workspace by a glob pattern, newest first, up to " + LIMIT)
                .input(schema -> schema.optionalString(
                                "pattern",
                                "Glob on the path relative to the workspace, for example **/*.java; default **")
                        .optionalString(CoderWorkspace.PARAMETER, CoderWorkspace.DESCRIPTION))
                .readOnly()
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
            String pattern = call.arguments()
                    .optionalString("pattern")
                    .filter(p -> !p.isBlank())
                    .orElse("**");
            List<FoundFile> found = new ArrayList<>();
            boolean all;
            try {
                Globs globs = Globs.of(pattern);
                Effort effort = new Effort("matching files with the pattern", MOST_STEPS);
                all = FileWalk.walk(root, MOST_LOOKED_AT, (name, attributes) -> {
                    if (globs.matches(RawName.shown(name), effort)) {
                        found.add(new FoundFile(name, attributes.lastModifiedTime()));
                    }
                });
            } catch (IllegalArgumentException e) {
                return ToolResult.error("not a glob pattern: " + e.getMessage());
            } catch (Effort.Exhausted e) {
                return ToolResult.error(e.getMessage() + "; use a simpler pattern");
            }
            found.sort(Comparator.comparing(FoundFile::modified).reversed().thenComparing(FoundFile::name));
            StringBuilder text = new StringBuilder();
            found.stream()
                    .limit(LIMIT)
                    .forEach(file -> text.append(RawName.shown(file.name())).append('\n'));
            if (found.isEmpty()) {
                text.append("no file matches ").append(pattern).append('\n');
            } else if (found.size() > LIMIT) {
                text.append("and ").append(found.size() - LIMIT).append(" more; narrow the pattern\n");
            }
            if (!all) {
                text.append("the workspace has more than ")
                        .append(MOST_LOOKED_AT)
                        .append(" files, not all were looked at\n");
            }
            return ToolResult.ok(text.toString());
        };
    }

    /** A file, by its raw name. */
    private record FoundFile(String name, FileTime modified) {}
}
