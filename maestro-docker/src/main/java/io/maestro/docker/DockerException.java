package io.maestro.docker;

import io.maestro.error.MaestroException;
import org.jspecify.annotations.Nullable;

/** The engine refused something, or what it was asked for went wrong. */
public class DockerException extends MaestroException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message what was asked for, what the engine said, and what to do
     * @param cause the failure underneath, or null
     */
    public DockerException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
