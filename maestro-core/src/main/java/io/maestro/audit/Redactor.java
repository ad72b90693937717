package io.maestro.audit;

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
