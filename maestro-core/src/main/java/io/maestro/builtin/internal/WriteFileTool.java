package io.maestro.builtin.internal;

import io.maestro.files.internal.SafeFiles;
import io.maestro.internal.Effort;
import io.maestro.secrets.internal.ShownText;
import io.maestro.tools.Property;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** {@code write_file}: makes or replaces a text file of the coder's workspace. */
final class WriteFileTool implements ToolFactory {
    private static final String IGNORED = "; .gitignore names it, so it will not be committed";

    @Override
    public ToolDefinition definition() {
        return ToolDefinition.builder("write_file")
                .description(
                        "Writes a text file in the workspace, with the directories it needs; replaces what was there")
                .input(schema -> schema.requiredString("path", "Path relative to the workspace")
                        .required("content", Property.string("The whole content of the file")))
                .pathArguments("path")
                .offeredTo(ToolAudience.CODER_CODING)
                .build();
    }

    @Override
    public Tool create(ToolContext context) {
        return call -> {
            if (context.readOnly()) {
                return ToolResult.error("the workspace is read-only now; nothing was written");
            }
            SafeFiles files = new SafeFiles(CoderWorkspace.of(context, call).directory());
            String path = call.arguments().string("path");
            String text = call.arguments().string("content");
            byte[] content = text.getBytes(StandardCharsets.UTF_8);
            try {
                Optional<String> mark = ShownText.newMark(text, "");
                if (mark.isPresent()) {
                    mark = ShownText.newMark(text, before(files, path));
                }
                if (mark.isPresent()) {
                    return ToolResult.error(ShownText.refusal(mark.get()));
                }
                boolean existed = files.write(path, content);
                return ToolResult.ok((existed ? "replaced " : "made ") + path + ", " + content.length + " bytes"
                        + (!existed && isIgnored(files, path) ? IGNORED : ""));
            } catch (SafeFiles.RefusedPathException e) {
                return ToolResult.error(e.getMessage());
            }
        };
    }

    /** Of a file that is written whatever its rules are. */
    private static boolean isIgnored(SafeFiles files, String path) throws IOException {
        try {
            return files.isIgnored(path);
        } catch (SafeFiles.RefusedPathException | Effort.Exhausted e) {
            return false;
        }
    }

    private static String before(SafeFiles files, String path) throws IOException {
        try {
            return new String(files.read(path, EditFileTool.LIMIT), StandardCharsets.UTF_8);
        } catch (SafeFiles.RefusedPathException e) {
            return "";
        }
    }
}
