package io.maestro.llm.internal;

import org.jspecify.annotations.Nullable;

/** What came from outside, made fit for one line of a message: short, and without the credentials should they have been sent back. */
final class Shown {
    private static final int MAX_CHARACTERS = 500;

    private final Credentials credentials;

    Shown(Credentials credentials) {
        this.credentials = credentials;
    }

    String line(String text) {
        // They go first: a cut in the middle of one would hide it from the search.
        String safe = credentials.removedFrom(text);
        String start = safe.length() <= MAX_CHARACTERS ? safe : safe.substring(0, MAX_CHARACTERS) + "…";
        return start.replaceAll("[\\p{Cntrl}\\s]+", " ").strip();
    }

    /** The cause for a stack trace; null when one of the credentials is in one of its messages. */
    @Nullable
    Throwable cause(Throwable cause) {
        for (Throwable t = cause; t != null; t = t.getCause()) {
            if (!credentials.removedFrom(t.toString()).equals(t.toString())) {
                return null;
            }
        }
        return cause;
    }
}
