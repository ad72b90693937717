package io.maestro.secrets.internal;

/**
 * A secret in a text.
 *
 * @param start its first character
 * @param end after its last character
 * @param rule the name of the rule that found it
 * @param certain whether it is a {@linkplain TokenForm token of a form of its own}, or a value that is known
 */
public record SecretSpan(int start, int end, String rule, boolean certain) {
    SecretSpan(int start, int end, String rule) {
        this(start, end, rule, false);
    }

    /** What stands in its place. */
    String mark() {
        return Mark.of(rule);
    }
}
