package io.maestro.llm;

import io.maestro.error.MaestroException;
import org.jspecify.annotations.Nullable;

/** A model refused a request, or cannot be reached as configured; the same request would fail again. */
public class LlmException extends MaestroException {
    private static final long serialVersionUID = 1L;

    /** Whether the vendor may bill what was asked. */
    private final boolean mayBeCharged;

    /**
     * Creates an exception for a request of which no attempt may be charged.
     *
     * @param message which model, what it answered, and what to do; never with a key in it
     * @param cause the failure underneath, or null
     */
    public LlmException(String message, @Nullable Throwable cause) {
        this(message, cause, false);
    }

    /**
     * Creates an exception.
     *
     * @param message which model, what it answered, and what to do; never with a key in it
     * @param cause the failure underneath, or null
     * @param mayBeCharged whether an attempt may have been answered before, as when its answer was cut
     */
    public LlmException(String message, @Nullable Throwable cause, boolean mayBeCharged) {
        super(message, cause);
        this.mayBeCharged = mayBeCharged;
    }

    /**
     * Whether an attempt may be charged, although the last one was refused. Then the request counts against the hard limits on
     * cost with what it may cost at most.
     *
     * @return false when it is known that none was answered
     */
    public boolean mayBeCharged() {
        return mayBeCharged;
    }
}
