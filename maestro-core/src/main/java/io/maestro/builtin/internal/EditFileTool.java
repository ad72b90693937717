package io.maestro.builtin.internal;

import io.maestro.files.internal.SafeFiles;
import io.maestro.secrets.Redactor;
import io.maestro.secrets.internal.ShownText;
import io.maestro.tools.Property;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolArguments;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolException;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** {@code edit_file}: replaces places in a text file of the coder's workspace, all that are given or none. */
final class EditFileTool implements ToolFactory {
    /** What may be edited, in bytes. */
    static final int LIMIT = 1 << 20;

    private static final String OLD = "The text to replace, exactly as it stands there; it must occur once";
    private static final String NEW = "The text to put in its place; may be empty";

    @Override
    public ToolDefinition definition() {
        return ToolDefinition.builder("edit_file")
                .description(
                        "Replaces one place in a text file of the workspace, given by old and new, or several, given by"
                                + " edits; all are replaced or none")
                .input(schema -> schema.requiredString("path", "Path relative to the workspace")
                        .optionalString("old", OLD)
                        .optional("new", Property.string(NEW))
                        .optional(
                                "edits",
                                Property.array(
                                                "Several places, in the place of old and new; each is looked for in what"
                                                        + " the ones before it have made of the file",
                                                Property.object(
                                                        "",
                                                        edit -> edit.requiredString("old", OLD)
                                                                .required("new", Property.string(NEW))))
                                        .minItems(1)
                                        .maxItems(100)))
                .pathArguments("path")
                .offeredTo(ToolAudience.CODER_CODING)
                .build();
    }

    /** A place and what is to stand there. */
    private record Edit(String old, String replacement) {
        /** The same with the line ends of Windows. */
        Edit crlf() {
            return new Edit(crlf(old), crlf(replacement));
        }

        private static String crlf(String text) {
            return text.replace("\r\n", "\n").replace("\n", "\r\n");
        }

        boolean isAscii() {
            return (old + replacement).chars().allMatch(c -> c < 0x80);
        }
    }

    @Override
    public Tool create(ToolContext context) {
        return call -> {
            if (context.readOnly()) {
                return ToolResult.error("the workspace is read-only now; nothing was changed");
            }
            SafeFiles files = new SafeFiles(CoderWorkspace.of(context, call).directory());
            String path = call.arguments().string("path");
            List<Edit> edits = edits(call);
            Redactor redactor = context.service(Redactor.class).orElse(same -> same);
            try {
                byte[] bytes = files.read(path, LIMIT);
                Charset charset = charset(path, bytes, edits);
                String text = new String(bytes, charset);
                List<Long> lines = new ArrayList<>();
                for (Edit edit : edits) {
                    ShownText.Edited edited =
                            edited(path, text, edit, redactor, edits.size() > 1 ? lines.size() + 1 : 0);
                    text = edited.text();
                    lines.add(edited.line());
                }
                files.write(path, text.getBytes(charset));
                return ToolResult.ok("changed " + path + " at " + lines(lines));
            } catch (SafeFiles.RefusedPathException e) {
                return ToolResult.error(e.getMessage());
            }
        };
    }

    private static List<Edit> edits(ToolCall call) {
        ToolArguments arguments = call.arguments();
        List<Edit> edits = arguments.objects("edits").stream()
                .map(edit -> new Edit(edit.string("old"), edit.string("new")))
                .toList();
        Optional<String> old = arguments.optionalString("old");
        Optional<String> replacement = arguments.optionalString("new");
        if (edits.isEmpty() && old.isPresent() && replacement.isPresent()) {
            return List.of(new Edit(old.get(), replacement.get()));
        }
        if (edits.isEmpty() || old.isPresent() || replacement.isPresent()) {
            throw new ToolException("nothing was changed: give either both old and new, or edits", null);
        }
        return edits;
    }

    /** UTF-8, or one that keeps every byte where all that is said about the file is ASCII, as it is in most encodings. */
    private static Charset charset(String path, byte[] bytes, List<Edit> edits) {
        if (bytes.length > LIMIT) {
            throw new ToolException(path + " is larger than 1 MiB; change it with the shell", null);
        }
        String text = new String(bytes, StandardCharsets.UTF_8);
        if (text.indexOf('\0') >= 0) {
            throw new ToolException(path + " is no text; change it with the shell", null);
        }
        if (Arrays.equals(text.getBytes(StandardCharsets.UTF_8), bytes)) {
            return StandardCharsets.UTF_8;
        }
        if (edits.stream().allMatch(Edit::isAscii)) {
            return StandardCharsets.ISO_8859_1;
        }
        throw new ToolException(
                path + " is not in UTF-8, and what it is in is not known: old and new must be ASCII, or the shell used",
                null);
    }

    /** @param number of the edit in messages; 0 for the only one */
    private static ShownText.Edited edited(String path, String text, Edit asked, Redactor redactor, int number) {
        boolean crlf = text.contains("\r\n");
        boolean onlyCrlf = crlf && !text.replace("\r\n", "").contains("\n");
        Edit edit =
                onlyCrlf || crlf && !text.contains(asked.old) && text.contains(asked.crlf().old) ? asked.crlf() : asked;
        // What the model was shown; else what the file says itself, which the model may have written.
        ShownText shown = ShownText.of(text, redactor)
                .filter(redacted -> !redacted.places(edit.old).isEmpty())
                .or(() -> ShownText.of(text, same -> same))
                .orElseThrow();
        String which = number == 0 ? "the old text" : "nothing was changed: the old text of edit " + number;
        List<Integer> places = shown.places(edit.old);
        if (places.isEmpty()) {
            throw new ToolException(which + " does not occur in " + path + "; read the file and copy it exactly", null);
        }
        if (places.size() > 1) {
            throw new ToolException(
                    which + " occurs more than once in " + path + ", at "
                            + lines(places.stream().map(shown::line).distinct().toList())
                            + (places.size() == ShownText.MOST_PLACES ? " and maybe more" : "")
                            + "; give more of the lines around it",
                    null);
        }
        return shown.replaced(places.get(0), edit.old.length(), edit.replacement)
                .orElseThrow(() -> new ToolException(
                        ShownText.newMark(edit.replacement, edit.old)
                                .map(ShownText::refusal)
                                .orElse(which
                                        + " begins or ends in the middle of a mark that stands for a secret; take in"
                                        + " the whole mark, or none of it"),
                        null));
    }

    private static String lines(List<Long> lines) {
        return (lines.size() == 1 ? "line " : "lines ")
                + lines.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }
}
