package io.maestro.git.internal;

import io.maestro.files.internal.Effort;
import io.maestro.files.internal.RawName;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.jgit.attributes.Attribute;
import org.eclipse.jgit.attributes.Attributes;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.jspecify.annotations.Nullable;

/**
 * What the {@code .gitignore} and {@code .gitattributes} files from the root down to one directory say. They are read as
 * patterns, nothing that they name is run, and an {@link Effort} bounds the work. Paths are raw. Not of JGit: that matches by
 * regular expressions, for which an agent can write a pattern that never ends.
 */
final class PathRules {
    private static final String BYTE_ORDER_MARK = "\u00ef\u00bb\u00bf";

    private final @Nullable PathRules parent;
    /** The directory's path with a slash at its end; empty for the root. */
    private final String prefix;
    /** Those that decide first stand first: the last of a file. */
    private final List<PathPattern> ignore;

    private final List<AttributeLine> attributes;
    private final Map<String, List<Attribute>> macros;
    private final ObjectId attributesId;
    private final Effort effort;

    private PathRules(
            @Nullable PathRules parent,
            String prefix,
            List<PathPattern> ignore,
            List<AttributeLine> attributes,
            Map<String, List<Attribute>> macros,
            ObjectId attributesId,
            Effort effort) {
        this.parent = parent;
        this.prefix = prefix;
        this.ignore = ignore;
        this.attributes = attributes;
        this.macros = macros;
        this.attributesId = attributesId;
        this.effort = effort;
    }

    /** No rules at all: what holds above the root. */
    static PathRules none(Effort effort) {
        List<Attribute> binary = List.of(
                new Attribute("diff", Attribute.State.UNSET),
                new Attribute("merge", Attribute.State.UNSET),
                new Attribute("text", Attribute.State.UNSET));
        return new PathRules(null, "", List.of(), List.of(), Map.of("binary", binary), ObjectId.zeroId(), effort);
    }

    /** The rules of a directory below: these, and those of its own files (null: it has no such file). */
    PathRules below(String directory, byte @Nullable [] gitignore, byte @Nullable [] gitattributes) {
        if (gitignore == null && gitattributes == null) {
            return this;
        }
        List<AttributeLine> own = new ArrayList<>();
        Map<String, List<Attribute>> known = macros;
        ObjectId id = attributesId;
        if (gitattributes != null) {
            known = new HashMap<>(macros);
            for (String line : lines(gitattributes)) {
                AttributeLine read = AttributeLine.of(line, directory.isEmpty());
                if (read != null && read.macro() != null) {
                    known.put(read.macro(), read.attributes());
                } else if (read != null) {
                    own.add(read);
                }
            }
            Collections.reverse(own);
            try (ObjectInserter.Formatter formatter = new ObjectInserter.Formatter()) {
                id = formatter.idFor(
                        Constants.OBJ_BLOB, RawName.bytes(id.name() + directory + "\n" + RawName.of(gitattributes)));
            }
        }
        return new PathRules(
                this, directory, gitignore == null ? List.of() : ignored(gitignore), own, known, id, effort);
    }

    private static List<PathPattern> ignored(byte[] gitignore) {
        List<PathPattern> patterns = new ArrayList<>();
        for (String line : lines(gitignore)) {
            if (!line.isEmpty() && line.charAt(0) != '#') {
                patterns.add(PathPattern.of(withoutBlanksAtItsEnd(line)));
            }
        }
        Collections.reverse(patterns);
        return patterns;
    }

    /** As git has them: up to a NUL, and without the CR of a CRLF. */
    private static List<String> lines(byte[] file) {
        String text = RawName.of(file);
        List<String> lines = new ArrayList<>();
        int from = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length() : 0;
        while (from < text.length()) {
            int newLine = text.indexOf('\n', from);
            int next = newLine < 0 ? text.length() : newLine;
            int to = next > from && text.charAt(next - 1) == '\r' ? next - 1 : next;
            String line = text.substring(from, to);
            int nul = line.indexOf('\0');
            lines.add(nul < 0 ? line : line.substring(0, nul));
            from = next + 1;
        }
        return lines;
    }

    /** One behind a backslash stays. */
    private static String withoutBlanksAtItsEnd(String line) {
        int blanks = -1;
        for (int at = 0; at < line.length(); at++) {
            if (line.charAt(at) == ' ') {
                blanks = blanks < 0 ? at : blanks;
            } else {
                blanks = -1;
                if (line.charAt(at) == '\\') {
                    at++;
                }
            }
        }
        return blanks < 0 ? line : line.substring(0, blanks);
    }

    /** Whether a file or directory is ignored; one in an ignored directory is not asked for. */
    boolean ignored(String path, boolean directory) {
        for (PathRules rules = this; rules != null; rules = rules.parent) {
            String relative = path.substring(rules.prefix.length());
            for (PathPattern pattern : rules.ignore) {
                if (pattern.matches(relative, directory, effort)) {
                    return !pattern.negative();
                }
            }
        }
        return false;
    }

    /** Another one when the attributes of some file in this directory may be others. */
    ObjectId attributesId() {
        return attributesId;
    }

    /** The attributes of a file. */
    Attributes attributes(String path) {
        Map<String, Attribute> found = new HashMap<>();
        for (PathRules rules = this; rules != null; rules = rules.parent) {
            String relative = path.substring(rules.prefix.length());
            for (AttributeLine line : rules.attributes) {
                if (line.pattern() != null && line.pattern().matches(relative, false, effort)) {
                    fill(line.attributes(), found);
                }
            }
        }
        return new Attributes(found.values().stream()
                .filter(attribute -> attribute.getState() != Attribute.State.UNSPECIFIED)
                .toArray(Attribute[]::new));
    }

    /** What is said last counts, and of a macro only what nobody has said yet. */
    private void fill(List<Attribute> line, Map<String, Attribute> found) {
        Deque<Attribute> left = new ArrayDeque<>();
        line.forEach(left::push);
        while (!left.isEmpty()) {
            effort.spend(1);
            Attribute attribute = left.pop();
            boolean isNew = found.putIfAbsent(attribute.getKey(), attribute) == null;
            List<Attribute> macro = macros.get(attribute.getKey());
            if (isNew && macro != null && attribute.getState() == Attribute.State.SET) {
                macro.forEach(left::push);
            }
        }
    }
}
