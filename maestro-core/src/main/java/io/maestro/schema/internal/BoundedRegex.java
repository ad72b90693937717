package io.maestro.schema.internal;

import com.networknt.schema.regex.RegularExpression;
import com.networknt.schema.regex.RegularExpressions;
import io.maestro.internal.Effort;
import java.util.concurrent.CancellationException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * A regular expression of a schema, which may be anybody's, as the validator reads it. It finds nothing in a text for which the search
 * takes more steps than any plain expression, or when the thread is interrupted: some take years for a text of forty characters.
 */
final class BoundedRegex implements RegularExpression {
    private static final int STEPS = 200_000;
    private static final int STEPS_FOR_CHARACTER = 50;

    /** A character or a property by its code or name. */
    private static final Pattern BRACES = Pattern.compile("\\\\[upP]\\{[^}]*\\}");

    private static final Pattern QUANTIFIER = Pattern.compile("\\{\\d+(?:,\\d*)?\\}");

    private final Pattern pattern;

    /** @throws PatternSyntaxException with the expression as it was written */
    BoundedRegex(String regex) {
        String java = RegularExpressions.replaceLongformCharacterProperties(
                RegularExpressions.replaceDollarAnchors(inJava(regex)));
        try {
            pattern = Pattern.compile(java);
        } catch (PatternSyntaxException e) {
            throw new PatternSyntaxException(e.getDescription(), regex, -1);
        }
    }

    /** What ECMAScript, whose expressions schemas have, takes as a character or a class, and Java as something else. */
    private static String inJava(String regex) {
        StringBuilder java = new StringBuilder(regex.length());
        boolean inClass = false;
        int at = 0;
        while (at < regex.length()) {
            char c = regex.charAt(at);
            String found = String.valueOf(c);
            String written = found;
            if (c == '\\') {
                Matcher braces = BRACES.matcher(regex).region(at, regex.length());
                found = braces.lookingAt() ? braces.group() : regex.substring(at, Math.min(at + 2, regex.length()));
                written = found.startsWith("\\u{") ? "\\x" + found.substring(2) : found;
            } else if (!inClass
                    && c == '{'
                    && !QUANTIFIER.matcher(regex).region(at, regex.length()).lookingAt()) {
                written = "\\{";
            } else if (!inClass && c == '[') {
                found = regex.startsWith("[^]", at) ? "[^]" : regex.startsWith("[]", at) ? "[]" : found;
                written = found.equals("[^]") ? "[\\s\\S]" : found.equals("[]") ? "(?!)" : found;
                inClass = found.equals("[");
            } else if (inClass && (c == '[' || c == '&')) {
                written = "\\" + c;
            } else if (c == ']') {
                inClass = false;
            }
            java.append(written);
            at += found.length();
        }
        return java.toString();
    }

    @Override
    public boolean matches(String text) {
        Effort effort = new Effort(
                "matching an argument with an expression of its schema",
                STEPS + (long) STEPS_FOR_CHARACTER * text.length());
        try {
            return pattern.matcher(new CountedText(text, effort)).find();
        } catch (Effort.Exhausted | CancellationException | StackOverflowError e) {
            return false;
        }
    }
}
