package io.maestro.runtime.internal;

import com.networknt.schema.regex.RegularExpression;
import com.networknt.schema.regex.RegularExpressions;
import java.util.regex.Pattern;

/**
 * A regular expression of a schema, which may be anybody's, as the validator reads it. It finds nothing in a text for which the search
 * takes more steps than any plain expression: some take years for a text of forty characters, and hear no interrupt.
 */
final class BoundedRegex implements RegularExpression {
    private static final int STEPS = 200_000;
    private static final int STEPS_FOR_CHARACTER = 50;

    private final Pattern pattern;

    BoundedRegex(String regex) {
        pattern = Pattern.compile(
                RegularExpressions.replaceLongformCharacterProperties(RegularExpressions.replaceDollarAnchors(regex)));
    }

    @Override
    public boolean matches(String text) {
        try {
            return pattern.matcher(new Counted(text)).find();
        } catch (TooManySteps | StackOverflowError e) {
            return false;
        }
    }

    private static final class TooManySteps extends RuntimeException {
        private static final long serialVersionUID = 1;

        TooManySteps() {
            super("a regular expression takes too long", null, false, false);
        }
    }

    private static final class Counted implements CharSequence {
        private final String text;
        private long left;

        Counted(String text) {
            this.text = text;
            this.left = STEPS + (long) STEPS_FOR_CHARACTER * text.length();
        }

        @Override
        public char charAt(int index) {
            if (left-- == 0) {
                throw new TooManySteps();
            }
            return text.charAt(index);
        }

        @Override
        public int length() {
            return text.length();
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
