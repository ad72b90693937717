package io.maestro.builtin.internal;

import io.maestro.internal.Effort;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * What a line is searched for, only in lines that have what every match must have. The engine is the JDK's, whose time may grow
 * without measure with the line: each character that it looks at is a step of an {@link Effort}, which ends it. (RE2/J, which
 * needs no such end, has no module name that a module may require.) Immutable.
 */
final class LinePattern {
    /** In one line; half a second. */
    private static final long MOST_STEPS = 50_000_000;

    /** So many are counted together. */
    private static final int AT_ONCE = 10_000;

    private final Pattern pattern;
    /** One of them is in each match; empty when nothing is known. */
    private final List<String> required;

    private final boolean ignoreCase;

    private LinePattern(Pattern pattern, List<String> required, boolean ignoreCase) {
        this.pattern = pattern;
        this.required = required;
        this.ignoreCase = ignoreCase;
    }

    /**
     * Reads a pattern.
     *
     * @throws IllegalArgumentException with a message for the model when it is none
     */
    static LinePattern of(String text, boolean literal, boolean ignoreCase) {
        if (text.indexOf('\n') >= 0) {
            throw new IllegalArgumentException("it has a line break; lines are searched one by one");
        }
        int flags =
                (literal ? Pattern.LITERAL : 0) | (ignoreCase ? Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE : 0);
        try {
            List<String> required = text.isEmpty() ? List.of() : literal ? List.of(text) : RequiredText.of(text);
            if (ignoreCase) {
                required = required.stream().allMatch(LinePattern::isAscii)
                        ? required.stream().map(LinePattern::folded).toList()
                        : List.of();
            }
            return new LinePattern(Pattern.compile(text, flags), required, ignoreCase);
        } catch (PatternSyntaxException | StackOverflowError e) {
            String reason = e instanceof PatternSyntaxException syntax
                    ? syntax.getDescription() + " near index " + syntax.getIndex()
                    : "it is nested too deeply";
            throw new IllegalArgumentException(reason + "; correct it, or say that it is literal", e);
        }
    }

    /**
     * Searches a text.
     *
     * @param bytes the same in UTF-8, from the beginning of an array
     * @param length how many they are
     */
    TextLines in(String text, byte[] bytes, int length) {
        if (!ignoreCase || required.isEmpty()) {
            return new TextLines(text, text, required);
        }
        // Beyond ASCII there are characters that are another case of an ASCII letter: such a text is searched line by
        // line.
        return text.length() == length
                ? new TextLines(text, folded(bytes, length), required)
                : new TextLines(text, text, List.of());
    }

    private static boolean isAscii(String text) {
        return text.chars().allMatch(c -> c < 0x80);
    }

    private static String folded(String ascii) {
        return folded(ascii.getBytes(StandardCharsets.US_ASCII), ascii.length());
    }

    /** Upper and lower case of an ASCII letter become the same, and some signs, too: what is found is looked at again. */
    private static String folded(byte[] bytes, int length) {
        byte[] folded = new byte[length];
        for (int at = 0; at < length; at++) {
            folded[at] = (byte) (bytes[at] | 0x20);
        }
        return new String(folded, StandardCharsets.ISO_8859_1);
    }

    /** The lines of one text. For use by one thread. */
    final class TextLines {
        private final String text;
        /** What the required ones are looked for in; each character stands where it stands in the text. */
        private final String folded;

        private final List<String> required;
        private final Counted counted;
        private final Matcher matcher;
        /** Where the required ones stand next. */
        private final int[] next;

        private TextLines(String text, String folded, List<String> required) {
            this.text = text;
            this.folded = folded;
            this.required = required;
            this.next = new int[required.size()];
            Arrays.fill(next, -1);
            this.counted = new Counted(text);
            this.matcher = pattern.matcher(counted);
        }

        /** Where the next match may stand; negative: nowhere from there on. It is asked for in the order of the text. */
        int candidate(int from) {
            int nearest = required.isEmpty() ? from : text.length();
            for (int i = 0; i < next.length; i++) {
                if (next[i] < from) {
                    int found = folded.indexOf(required.get(i), from);
                    next[i] = found < 0 ? text.length() : found;
                }
                nearest = Math.min(nearest, next[i]);
            }
            return nearest < text.length() ? nearest : -1;
        }

        /** Whether the last line took long. */
        boolean tookLong() {
            return counted.effort != null;
        }

        /**
         * Where in a line the first match begins; negative: there is none.
         *
         * @param from where the line begins
         * @param to where it ends, without its line break
         * @throws Effort.Exhausted when the pattern takes too long
         */
        int find(int from, int to) {
            counted.start();
            try {
                return matcher.region(from, to).find() ? matcher.start() - from : -1;
            } catch (StackOverflowError e) {
                throw new IllegalArgumentException("the pattern cannot be used on a line of " + (to - from)
                        + " characters; leave out groups that are repeated");
            }
        }
    }

    /** A text whose characters cost something. */
    private static final class Counted implements CharSequence {
        private final String text;
        /** Null until it is needed: most lines are short. */
        private @Nullable Effort effort;
        /** Of the steps that the effort knows as made. */
        private int left;

        Counted(String text) {
            this.text = text;
        }

        void start() {
            effort = null;
            left = AT_ONCE;
        }

        private void spend() {
            if (effort == null) {
                effort = new Effort("matching a line with the pattern", MOST_STEPS);
            }
            effort.spend(AT_ONCE);
            left = AT_ONCE;
        }

        @Override
        public int length() {
            return text.length();
        }

        @Override
        public char charAt(int index) {
            if (--left < 0) {
                spend();
            }
            return text.charAt(index);
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return text.subSequence(start, end);
        }

        @Override
        public String toString() {
            return text;
        }
    }
}
