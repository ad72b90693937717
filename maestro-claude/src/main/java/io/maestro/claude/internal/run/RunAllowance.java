package io.maestro.claude.internal.run;

import io.maestro.claude.ClaudeEvent;
import java.util.Optional;

/**
 * How much a CLI may say in one run. What is in a container may only call itself the CLI, and say more than memory, disk and
 * record can hold; a real one stays far below. For the thread that reads.
 */
final class RunAllowance {
    /** Of all that is printed; most of it are pieces of answers, which are passed over. */
    static final long MOST_BYTES = 1L << 30;

    /** Of what is worked on and recorded. */
    static final long MOST_CHARACTERS = 32L << 20;

    static final int MOST_EVENTS = 20_000;

    private long bytes;
    private long characters;
    private int events;

    void printed(int count) {
        bytes += count;
    }

    void said(ClaudeEvent event) {
        // Partial: all of it comes again as a whole.
        if (event instanceof ClaudeEvent.Other || event instanceof ClaudeEvent.Partial) {
            return;
        }
        events++;
        characters += length(event);
    }

    private static long length(ClaudeEvent event) {
        if (event instanceof ClaudeEvent.Said said) {
            return said.block().length();
        }
        if (event instanceof ClaudeEvent.ToolUse use) {
            return use.input().length();
        }
        if (event instanceof ClaudeEvent.ToolResult result) {
            return result.text().length();
        }
        if (event instanceof ClaudeEvent.ControlRequest request) {
            return request.request().length();
        }
        return event instanceof ClaudeEvent.Result result ? result.text().length() : 0;
    }

    /** Why the run must end, if it must. */
    Optional<String> exceeded() {
        if (bytes > MOST_BYTES) {
            return Optional.of("the CLI has printed more than " + (MOST_BYTES >> 20) + " MiB in one run");
        }
        if (characters > MOST_CHARACTERS) {
            return Optional.of("the CLI has said more than " + (MOST_CHARACTERS >> 20)
                    + " Mi characters in one run, as no real one does");
        }
        return events > MOST_EVENTS
                ? Optional.of("the CLI has said more than " + MOST_EVENTS + " things in one run, as no real one does")
                : Optional.empty();
    }
}
