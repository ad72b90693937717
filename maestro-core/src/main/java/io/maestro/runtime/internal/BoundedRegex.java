package io.maestro.runtime.internal;

import com.networknt.schema.regex.RegularExpression;
import com.networknt.schema.regex.RegularExpressions;
import io.maestro.files.internal.Effort;
import java.util.concurrent.CancellationException;
import java.util.regex.Pattern;

/**
 * A regular expression of a schema, which may be anybody's, as the validator reads it. It finds nothing in a text for which the search
 * takes more steps than any plain expression, or when the thread is interrupted: some take years for a text of forty characters.
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
