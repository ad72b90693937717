package io.maestro.git;

import io.maestro.error.RetriableException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A remote repository could not be reached in time; it may be later. */
public class GitUnavailableException extends RetriableException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message what failed, in which repository, and what git said; never with credentials in it
     * @param cause the failure underneath, or null
     */
    public GitUnavailableException(String message, @Nullable Throwable cause) {
        this(message, cause, null);
    }

    /**
     * Creates an exception for a server that has said when to come back.
     *
     * @param message what failed, in which repository, and what was said; never with credentials in it
     * @param cause the failure underneath, or null
     * @param retryAfter how long the server asks to wait, or null
     */
    public GitUnavailableException(String message, @Nullable Throwable cause, @Nullable Duration retryAfter) {
        super(message, cause, retryAfter);
    }
}
