package io.maestro.files.internal;

import io.maestro.internal.Effort;
import io.maestro.internal.Wildmatch;

/**
 * A pattern of {@code .gitignore} or {@code .gitattributes}, with git's meaning.
 *
 * @param pattern the text without {@code !}, and without the slash that it began or ended with
 * @param literal how many of its first characters stand for themselves
 * @param negative whether it began with {@code !}
 * @param directoryOnly whether it ended with a slash
 * @param anyDirectory whether it is compared with the last name of a path only
 */
public record PathPattern(String pattern, int literal, boolean negative, boolean directoryOnly, boolean anyDirectory) {
    /** Reads a pattern; it is raw, as paths are. */
    public static PathPattern of(String line) {
        boolean negative = line.startsWith("!");
        String text = negative ? line.substring(1) : line;
        boolean directoryOnly = text.endsWith("/");
        if (directoryOnly) {
            text = text.substring(0, text.length() - 1);
        }
        boolean anyDirectory = text.indexOf('/') < 0;
        if (text.startsWith("/")) {
            text = text.substring(1);
        }
        int literal = 0;
        while (literal < text.length() && "*?[\\".indexOf(text.charAt(literal)) < 0) {
            literal++;
        }
        return new PathPattern(text, literal, negative, directoryOnly, anyDirectory);
    }

    /**
     * Whether a path matches.
     *
     * @param path raw, relative to the directory of the file that the pattern stands in
     */
    public boolean matches(String path, boolean directory, Effort effort) {
        effort.spend(1);
        if (directoryOnly && !directory) {
            return false;
        }
        int from = anyDirectory ? path.lastIndexOf('/') + 1 : 0;
        if (!path.regionMatches(from, pattern, 0, literal)) {
            return false;
        }
        // What follows the literal part is a pattern of its own for git: "**" may stand at its beginning.
        return literal == pattern.length()
                ? path.length() == from + literal
                : Wildmatch.matches(pattern, literal, pattern.length(), path, from + literal, effort);
    }
}
