package io.maestro.secrets;

import java.util.List;

/**
 * Takes secrets out of text before it is stored, shown or sent. Implementations are safe for use by several threads, and
 * fail closed: where a text cannot be scanned, it does not pass.
 */
@FunctionalInterface
public interface Redactor {
    /**
     * Replaces every secret in a text by a mark such as {@code [REDACTED:github-token]}.
     *
     * @param text any text, JSON included: what is valid JSON stays valid JSON
     * @return the text without secrets; the same instance when there was none
     */
    String redact(String text);

    /**
     * A secret in a text.
     *
     * @param start its first character
     * @param end after its last character
     * @param rule the name of the rule that found it
     * @param certain whether it is a value that is known, a token of a well-known form or of a rule of the host; else it may
     *     be something else
     */
    record Found(int start, int end, String rule, boolean certain) {}

    /**
     * Finds the secrets in a text, each by itself; two may overlap. By default a text that holds some is one as a whole.
     *
     * @param text any text
     * @return all of the text, as one secret, where it cannot be scanned
     */
    default List<Found> find(String text) {
        return redact(text).equals(text) ? List.of() : List.of(new Found(0, text.length(), "redactor", true));
    }

    /**
     * Changes when the redactor learns a secret: a text that it has scanned before may hold that one. By default each call has
     * another answer, so that no text counts as scanned.
     *
     * @return equal to the one before as long as the redactor takes the same out of the same text
     */
    default Object version() {
        return new Object();
    }

    /**
     * How much of a text that somebody still writes can be redacted and shown already, because no secret of it can end in what
     * comes after. By default all up to the last blank or line break.
     *
     * @param text the text so far
     * @return how many of its characters; 0 to all
     */
    default int settled(CharSequence text) {
        int end = text.length();
        while (end > 0 && !Character.isWhitespace(text.charAt(end - 1))) {
            end--;
        }
        return end;
    }
}
