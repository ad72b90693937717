package io.maestro.llm.internal;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One attempt to ask a model has failed. */
final class AttemptException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Whether the same request may go through another time. */
    enum FaultKind {
        /** The trouble may pass by itself. */
        PASSING,
        /** The same request would fail again. */
        LASTING,
        /** A shorter request may go through. */
        OVERFLOW
    }

    private final FaultKind kind;
    private final boolean worthRetrying;
    private final @Nullable Duration retryAfter;
    private final boolean mayBeCharged;

    /**
     * @param worthRetrying whether to try again at once, which the server may forbid or ask for
     * @param mayBeCharged whether the model may have answered
     */
    AttemptException(
            String message,
            @Nullable Throwable cause,
            FaultKind kind,
            boolean worthRetrying,
            @Nullable Duration retryAfter,
            boolean mayBeCharged) {
        super(message, cause);
        this.kind = kind;
        this.worthRetrying = worthRetrying;
        this.retryAfter = retryAfter;
        this.mayBeCharged = mayBeCharged;
    }

    /** Something that went wrong on the way, and may go well the next time. */
    static AttemptException passing(String message, @Nullable Throwable cause) {
        return new AttemptException(message, cause, FaultKind.PASSING, true, null, true);
    }

    /** Something that will go wrong each time. */
    static AttemptException lasting(String message) {
        return new AttemptException(message, null, FaultKind.LASTING, false, null, true);
    }

    boolean mayBeCharged() {
        return mayBeCharged;
    }

    FaultKind kind() {
        return kind;
    }

    boolean isWorthRetrying() {
        return worthRetrying;
    }

    Optional<Duration> retryAfter() {
        return Optional.ofNullable(retryAfter);
    }
}
