package io.maestro.llm;

import io.maestro.error.RetriableException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A model could not answer now: overload, a rate limit, a broken connection, an answer that was cut or no JSON. */
public class LlmUnavailableException extends RetriableException {
    private static final long serialVersionUID = 1L;

    /** False when it is known that no attempt was answered. */
    private final boolean mayBeCharged;

    /**
     * Creates an exception for a request that may have been answered and charged, although the answer did not arrive whole.
     *
     * @param message which model, what happened, and how often it was tried; never with a key in it
     * @param cause the failure underneath, or null
     * @param retryAfter how long the service asked to wait, or null
     */
    public LlmUnavailableException(String message, @Nullable Throwable cause, @Nullable Duration retryAfter) {
        this(message, cause, retryAfter, true);
    }

    /**
     * Creates an exception.
     *
     * @param message which model, what happened, and how often it was tried; never with a key in it
     * @param cause the failure underneath, or null
     * @param retryAfter how long the service asked to wait, or null
     * @param mayBeCharged false when it is known that no attempt was answered: the service refused it, or was not reached
     */
    public LlmUnavailableException(
            String message, @Nullable Throwable cause, @Nullable Duration retryAfter, boolean mayBeCharged) {
        super(message, cause, retryAfter);
        this.mayBeCharged = mayBeCharged;
    }

    /**
     * Whether the request may be charged, as when its answer was cut. Then it counts against the hard limits on cost with what it
     * may cost at most.
     *
     * @return false when it is known that it was not answered
     */
    public boolean mayBeCharged() {
        return mayBeCharged;
    }
}
