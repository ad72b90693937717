package io.maestro.record;

import java.time.Instant;

/**
 * Somebody has asked for the end of a story or a specification.
 *
 * @param id of a story or a specification
 * @param attempt at the story, as it was asked; 0 for a specification
 * @param person who has asked
 * @param message why; may be empty
 * @param at when
 */
public record Cancellation(String id, int attempt, String person, String message, Instant at) {
    /** {@return who has asked and why, such as {@code by alice: not needed any more}} */
    public String by() {
        return "by " + person + (message.isBlank() ? "" : ": " + message.strip());
    }
}
