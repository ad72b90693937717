package io.maestro.llm.resilience;

import io.maestro.llm.LlmUnavailableException;
import java.time.Duration;

/** The model was not asked: one of this package's own limits said so. It says nothing about the service. */
final class NotAskedException extends LlmUnavailableException {
    private static final long serialVersionUID = 1L;

    NotAskedException(String message, Duration retryAfter) {
        super(message, null, retryAfter, false);
    }
}
