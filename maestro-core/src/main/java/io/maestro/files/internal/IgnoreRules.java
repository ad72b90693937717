package io.maestro.files.internal;

import io.maestro.internal.Effort;
import io.maestro.internal.RawName;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the {@code .gitignore} files from the root down to one directory say. They are read as patterns, and an {@link Effort}
 * bounds the work. Paths are raw. Not of JGit: that matches by regular expressions, for which an agent can write a pattern that
 * never ends. Immutable but for the effort.
 */
public final class IgnoreRules {
    /** Where a directory has its rules. */
    public static final String FILE = ".gitignore";

    /** A larger file of rules is not read. */
    private static final int LARGEST = 1 << 20;

    private static final String BYTE_ORDER_MARK = "\u00ef\u00bb\u00bf";

    private final @Nullable IgnoreRules parent;
    /** The directory's path with a slash at its end; empty for the root. */
    private final String prefix;
    /** Those that decide first stand first: the last of a file. */
    private final List<PathPattern> patterns;

    private final Effort effort;

    private IgnoreRules(@Nullable IgnoreRules parent, String prefix, List<PathPattern> patterns, Effort effort) {
        this.parent = parent;
        this.prefix = prefix;
        this.patterns = patterns;
        this.effort = effort;
    }

    /** No rules at all: what holds above the root. */
    public static IgnoreRules none(Effort effort) {
        return new IgnoreRules(null, "", List.of(), effort);
    }

    /**
     * The file of rules in a directory.
     *
     * @param attributes of {@link #FILE} in it; null where it has none
     * @return null where there is no file that can be read
     */
    public static byte @Nullable [] read(SafeDirectory directory, @Nullable BasicFileAttributes attributes)
            throws IOException {
        if (attributes == null || !attributes.isRegularFile() || attributes.size() > LARGEST) {
            return null;
        }
        try (InputStream in = directory.read(FILE)) {
            return in.readNBytes(LARGEST);
        } catch (FileSystemException e) {
            return null;
        }
    }

    /**
     * The rules of a directory below: these, and those of its own file.
     *
     * @param directory its path, with a slash at its end
     * @param gitignore null where it has no such file
     */
    public IgnoreRules below(String directory, byte @Nullable [] gitignore) {
        if (gitignore == null) {
            return this;
        }
        List<PathPattern> own = new ArrayList<>();
        for (String line : lines(gitignore)) {
            if (!line.isEmpty() && line.charAt(0) != '#') {
                own.add(PathPattern.of(withoutBlanksAtItsEnd(line)));
            }
        }
        Collections.reverse(own);
        return new IgnoreRules(this, directory, own, effort);
    }

    /** Whether a file or directory is ignored; one in an ignored directory is not asked for. */
    public boolean ignored(String path, boolean directory) {
        for (IgnoreRules rules = this; rules != null; rules = rules.parent) {
            String relative = path.substring(rules.prefix.length());
            for (PathPattern pattern : rules.patterns) {
                if (pattern.matches(relative, directory, effort)) {
                    return !pattern.negative();
                }
            }
        }
        return false;
    }

    /** The lines of a file of rules as git has them: up to a NUL, and without the CR of a CRLF. */
    public static List<String> lines(byte[] file) {
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
}
