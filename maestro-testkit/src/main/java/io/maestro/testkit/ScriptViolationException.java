package io.maestro.testkit;

import io.maestro.error.MaestroException;
import org.jspecify.annotations.Nullable;

/**
 * A conversation has left the script of a {@link ScriptedLlm}. The message says at which turn, who asked, what was
 * expected and what came. Sending the same request again does not help.
 */
public final class ScriptViolationException extends MaestroException {
    private static final long serialVersionUID = 1L;

    ScriptViolationException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
