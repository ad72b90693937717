package io.maestro.git;

import io.maestro.error.MaestroException;
import org.jspecify.annotations.Nullable;

/** Git could not do what it was asked; asking again will not help. */
public class GitException extends MaestroException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes an exception without a cause.
     *
     * @param message what happened, with which value, and what to do
     */
    public GitException(String message) {
        this(message, null);
    }

    /**
     * Creates an exception.
     *
     * @param message what failed, in which repository, what git said, and what to do; never with credentials in it
     * @param cause the failure underneath, or null
     */
    public GitException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
