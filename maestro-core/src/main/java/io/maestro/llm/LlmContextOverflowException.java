package io.maestro.llm;

import org.jspecify.annotations.Nullable;

/**
 * A request is too long for its model: for the context window, or for what the service takes at once. The same request would
 * fail again, a shorter one may go through: leave out or sum up what is old, and ask again.
 */
public class LlmContextOverflowException extends LlmException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception for a request of which no attempt may be charged.
     *
     * @param message which model, what it answered, and what to do; never with a key in it
     * @param cause the failure underneath, or null
     */
    public LlmContextOverflowException(String message, @Nullable Throwable cause) {
        this(message, cause, false);
    }

    /**
     * Creates an exception.
     *
     * @param message which model, what it answered, and what to do; never with a key in it
     * @param cause the failure underneath, or null
     * @param mayBeCharged whether an attempt may have been answered before, as when its answer was cut
     */
    public LlmContextOverflowException(String message, @Nullable Throwable cause, boolean mayBeCharged) {
        super(message, cause, mayBeCharged);
    }
}
