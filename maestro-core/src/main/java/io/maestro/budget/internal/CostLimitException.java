package io.maestro.budget.internal;

import io.maestro.error.MaestroException;

/** A request to a model would go beyond a hard limit on cost. */
public final class CostLimitException extends MaestroException {
    private static final long serialVersionUID = 1L;

    CostLimitException(String message) {
        super(message);
    }
}
