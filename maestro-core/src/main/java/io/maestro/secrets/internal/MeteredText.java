package io.maestro.secrets.internal;

import java.util.IdentityHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A text whose characters are counted as rules look at them. A rule that looks at the same characters over and over, on a
 * text that was made for it or by a careless expression, is stopped.
 */
final class MeteredText implements CharSequence {
    private static final long FREE = 1_000_000;
    private static final long PER_CHARACTER = 16;

    private final String text;

    /** Making one costs more than most of the looks that are taken with it. */
    private final IdentityHashMap<Pattern, Matcher> matchers = new IdentityHashMap<>();

    private long left;

    MeteredText(String text) {
        this.text = text;
        this.left = FREE + PER_CHARACTER * text.length();
    }

    /** Thrown when the rules look at too many characters. */
    static final class TooMuchWork extends RuntimeException {
        private static final long serialVersionUID = 1L;

        TooMuchWork() {
            super("the rules had to look at too many characters", null, false, false);
        }
    }

    /** Counts characters that are looked at in the raw text. */
    void charge(int characters) {
        left -= characters;
        if (left < 0) {
            throw new TooMuchWork();
        }
    }

    /**
     * Tells how an expression matches from a place on; it may look behind.
     *
     * @return a matcher that is used again with the next call for this expression
     */
    Matcher at(Pattern pattern, int start) {
        Matcher matcher = matchers.get(pattern);
        if (matcher == null) {
            matcher = pattern.matcher(this).useTransparentBounds(true).useAnchoringBounds(false);
            matchers.put(pattern, matcher);
        }
        return matcher.region(start, text.length());
    }

    @Override
    public char charAt(int index) {
        charge(1);
        return text.charAt(index);
    }

    @Override
    public int length() {
        return text.length();
    }

    @Override
    public String subSequence(int start, int end) {
        charge(end - start);
        return text.substring(start, end);
    }

    @Override
    public String toString() {
        return text;
    }
}
