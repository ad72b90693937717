package io.maestro.llm.internal;

import io.maestro.internal.ApiKey;
import org.jspecify.annotations.Nullable;

/** What came from outside, made fit for one line of a message: short, and without the key should it have been sent back. */
final class Shown {
    private static final int MAX_CHARACTERS = 500;

    private final ApiKey key;

    Shown(ApiKey key) {
        this.key = key;
    }

    String line(String text) {
        // The key goes first: a cut in the middle of it would hide it from the search.
        String safe = key.removedFrom(text);
        String start = safe.length() <= MAX_CHARACTERS ? safe : safe.substring(0, MAX_CHARACTERS) + "…";
        return start.replaceAll("[\\p{Cntrl}\\s]+", " ").strip();
    }

    /** The cause for a stack trace; null when the key is in one of its messages. */
    @Nullable
    Throwable cause(Throwable cause) {
        for (Throwable t = cause; t != null; t = t.getCause()) {
            if (!key.removedFrom(t.toString()).equals(t.toString())) {
                return null;
            }
        }
        return cause;
    }
}
