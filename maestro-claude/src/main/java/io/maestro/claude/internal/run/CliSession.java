package io.maestro.claude.internal.run;

import java.util.UUID;

/**
 * A conversation that the CLI keeps.
 *
 * @param id a UUID
 * @param resumed whether it is there already
 */
public record CliSession(String id, boolean resumed) {
    /** Checks the id, which becomes part of a file's name and of a command. */
    public CliSession {
        boolean valid;
        try {
            valid = UUID.fromString(id).toString().equalsIgnoreCase(id);
        } catch (IllegalArgumentException e) {
            valid = false;
        }
        if (!valid) {
            throw new IllegalArgumentException("the id of a session must be a UUID, is '" + id + "'");
        }
    }
}
