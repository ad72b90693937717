package io.maestro.secrets.internal;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds one kind of secret. Immutable. */
interface Rule {
    /** Stands in the mark. */
    String name();

    /** Where one of them stands, in whatever case, the rule is asked. */
    List<String> keywords();

    /**
     * Whether there may be a secret at a keyword: tells most places of most texts apart at little cost.
     *
     * @param start the keyword's first character
     * @param end after its last character
     */
    default boolean mayMatch(String text, int start, int end) {
        return true;
    }

    /** Whether what this rule has found is a secret for certain. */
    default boolean isCertain(String found) {
        return TokenForm.isCertain(name(), found);
    }

    /**
     * Looks for a secret at a keyword.
     *
     * @param start the keyword's first character
     * @param end after its last character
     * @return null when there is none
     */
    @Nullable
    SecretSpan match(MeteredText text, int start, int end);
}
