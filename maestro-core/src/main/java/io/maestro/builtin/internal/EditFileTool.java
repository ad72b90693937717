package io.maestro.builtin.internal;

import io.maestro.audit.Redactor;
import io.maestro.tools.Property;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** {@code edit_file}: replaces one place in a text file of the coder's workspace. */
final class EditFileTool implements ToolFactory {
    @Override
    public ToolDefinition definition() {
        return ToolDefinition.builder("edit_file")
                .description("Replaces one place in a text file of the workspace")
                .input(schema -> schema.requiredString("path", "Path relative to the workspace")
                        .requiredString("old", "The text to replace, exactly as it stands there; it must occur once")
                        .required("new", Property.string("The text to put in its place; may be empty")))
                .offeredTo(ToolAudience.CODER_CODING)
                .build();
    }

    @Override
    public Tool create(ToolContext context) {
        return call -> {
            if (context.readOnly()) {
                return ToolResult.error("the workspace is read-only now; nothing was changed");
            }
            SafeFiles files = new SafeFiles(CoderWorkspace.of(context, call).directory());
            String path = call.arguments().string("path");
            try {
                byte[] bytes = files.read(path, ReadFileTool.LIMIT);
                String text = new String(bytes, StandardCharsets.UTF_8);
                if (bytes.length > ReadFileTool.LIMIT || !Arrays.equals(text.getBytes(StandardCharsets.UTF_8), bytes)) {
                    return ToolResult.error(path + " is larger than 1 MiB or no UTF-8 text; change it with the shell");
                }
                return edit(
                        context, call, text, changed -> files.write(path, changed.getBytes(StandardCharsets.UTF_8)));
            } catch (SafeFiles.RefusedPathException e) {
                return ToolResult.error(e.getMessage());
            }
        };
    }

    private interface Writer {
        void write(String changed) throws IOException;
    }

    private static ToolResult edit(ToolContext context, ToolCall call, String text, Writer writer) throws IOException {
        String path = call.arguments().string("path");
        String old = call.arguments().string("old");
        String replacement = call.arguments().string("new");
        Redactor redactor = context.service(Redactor.class).orElse(same -> same);
        // What the model was shown; else what the file says itself, which the model may have written.
        ShownText shown = ShownText.of(text, redactor)
                .filter(redacted -> !redacted.places(old).isEmpty())
                .or(() -> ShownText.of(text, same -> same))
                .orElseThrow();
        List<Integer> places = shown.places(old);
        if (places.isEmpty()) {
            return ToolResult.error("the old text does not occur in " + path + "; read the file and copy it exactly");
        }
        if (places.size() > 1) {
            return ToolResult.error(
                    "the old text occurs more than once in " + path + "; give more of the lines around it");
        }
        Optional<ShownText.Edited> edited = shown.replaced(places.get(0), old.length(), replacement);
        if (edited.isEmpty()) {
            return ToolResult.error(ShownText.newMark(replacement, old)
                    .map(ShownText::refusal)
                    .orElse("the old text begins or ends in the middle of a mark that stands for a secret; take in the"
                            + " whole mark, or none of it"));
        }
        writer.write(edited.get().text());
        return ToolResult.ok("changed " + path + " at line " + edited.get().line());
    }
}
