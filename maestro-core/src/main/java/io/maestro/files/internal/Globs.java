package io.maestro.files.internal;

import io.maestro.internal.Effort;
import io.maestro.internal.Wildmatch;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** A glob as a model writes it: {@code *}, {@code ?}, {@code [a-z]}, {@code **}{@code /}, and {@code {a,b}}. */
public final class Globs {
    private static final int MOST = 100;
    private static final int LONGEST = 4096;

    /** People mean it at any depth. */
    private static final Pattern BEFORE_A_NAME = Pattern.compile("(?<=^|/)\\*\\*+(?=[^/*])");

    private final List<String> patterns;

    private Globs(List<String> patterns) {
        this.patterns = List.copyOf(patterns);
    }

    /**
     * Reads a glob.
     *
     * @throws IllegalArgumentException with a message for the model when it is none
     */
    public static Globs of(String glob) {
        if (glob.length() > LONGEST) {
            throw new IllegalArgumentException("a pattern of " + glob.length() + " characters is too long");
        }
        List<String> whole = new ArrayList<>();
        List<String> open = new ArrayList<>(List.of(glob));
        while (!open.isEmpty()) {
            String next = open.remove(open.size() - 1);
            int brace = find(next, '{', 0);
            if (brace < 0) {
                whole.add(BEFORE_A_NAME.matcher(next).replaceAll("**/*"));
            } else {
                alternatives(next, brace, open);
            }
            if (whole.size() + open.size() > MOST) {
                throw new IllegalArgumentException("it stands for more than " + MOST + " patterns; use fewer braces");
            }
        }
        return new Globs(whole);
    }

    private static void alternatives(String glob, int brace, List<String> to) {
        int close = find(glob, '}', brace);
        int inner = find(glob, '{', brace + 1);
        if (close < 0) {
            throw new IllegalArgumentException("a '{' is not closed");
        }
        if (inner >= 0 && inner < close) {
            throw new IllegalArgumentException("braces in braces");
        }
        for (int from = brace + 1; from <= close; ) {
            int comma = find(glob, ',', from);
            int end = comma < 0 || comma > close ? close : comma;
            to.add(glob.substring(0, brace) + glob.substring(from, end) + glob.substring(close + 1));
            from = end + 1;
        }
    }

    /** Where a character stands that is not behind a backslash or in a set; negative: nowhere. */
    private static int find(String glob, char wanted, int from) {
        for (int at = 0; at < glob.length(); at++) {
            char c = glob.charAt(at);
            if (c == wanted && at >= from) {
                return at;
            }
            if (c == '\\') {
                at++;
            } else if (c == '[') {
                // The first character of a set may be its end.
                int first = at + (glob.startsWith("!", at + 1) || glob.startsWith("^", at + 1) ? 2 : 1);
                int end = glob.indexOf(']', first + 1);
                if (end < 0) {
                    throw new IllegalArgumentException("a '[' is not closed");
                }
                at = end;
            }
        }
        return -1;
    }

    /** Whether a path matches. */
    public boolean matches(String path, Effort effort) {
        return patterns.stream().anyMatch(pattern -> Wildmatch.matches(pattern, path, effort));
    }
}
