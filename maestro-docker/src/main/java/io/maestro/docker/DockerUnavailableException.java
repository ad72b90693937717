package io.maestro.docker;

import io.maestro.error.RetriableException;
import org.jspecify.annotations.Nullable;

/** The container engine did not answer. It may later: nothing was done. */
public class DockerUnavailableException extends RetriableException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message what was asked, what came back, and what to do
     * @param cause the failure underneath, or null
     */
    public DockerUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause, null);
    }
}
