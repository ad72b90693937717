package io.maestro.builtin.internal;

import io.maestro.files.internal.SafeFiles;
import io.maestro.secrets.Redactor;
import io.maestro.secrets.internal.ShownText;
import io.maestro.tools.Property;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** {@code read_file}: reads a text file of a workspace in pages. */
final class ReadFileTool implements ToolFactory {
    private static final int LINES = 2_000;
    private static final int BYTES = 1_000_000;

    @Override
    public ToolDefinition definition() {
        return ToolDefinition.builder("read_file")
                .description(
                        "Reads a text file of the workspace, of any size: up to 2,000 lines or 1 MB in one call, from"
                                + " first_line on; where the file goes on, the last line of the answer says with which line")
                .input(schema -> schema.requiredString("path", "Path relative to the workspace, for example src/main.c")
                        .optional(
                                "first_line",
                                Property.integer("First line to return, from 1; default 1")
                                        .between(1, Integer.MAX_VALUE))
                        .optional(
                                "lines",
                                Property.integer("How many lines to return; default 2000")
                                        .between(1, LINES))
                        .optionalString(CoderWorkspace.PARAMETER, CoderWorkspace.DESCRIPTION))
                .pathArguments("path")
                .readOnly()
                // Marks may be longer than the secrets that they stand for.
                .resultLimit(2 * BYTES)
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
            SafeFiles files = new SafeFiles(CoderWorkspace.of(context, call).directory());
            String path = call.arguments().string("path");
            long first = call.arguments().optionalInteger("first_line").orElse(1);
            long lines = call.arguments().optionalInteger("lines").orElse(LINES);
            try {
                Redactor redactor = context.service(Redactor.class).orElse(same -> same);
                return answer(path, files.read(path, in -> FilePage.read(in, first, lines, BYTES)), redactor);
            } catch (SafeFiles.RefusedPathException e) {
                return ToolResult.error(e.getMessage());
            }
        };
    }

    static ToolResult answer(String path, FilePage page, Redactor redactor) {
        if (page.bytes().length == 0 && page.first() > 1) {
            return ToolResult.error(path + " has " + (page.next() - 1) + " lines, there is no line " + page.first());
        }
        String text;
        try {
            text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(page.bytes()))
                    .toString();
        } catch (CharacterCodingException e) {
            return ToolResult.error(
                    path + " is no UTF-8 text; look at it with the shell, for example with file or xxd");
        }
        // Before the page is cut out of the file: half a secret would not be recognised.
        text = ShownText.part(
                new String(page.before(), StandardCharsets.UTF_8),
                text,
                new String(page.after(), StandardCharsets.UTF_8),
                redactor);
        if (!page.more()) {
            return ToolResult.ok(text);
        }
        String note = page.cut()
                ? "\n[line " + page.first() + " is longer than 1 MB and goes on; the next line is " + page.next() + "]"
                : "[the file goes on with line " + page.next() + "]";
        return ToolResult.builder(text + note).data("next_line", page.next()).build();
    }
}
