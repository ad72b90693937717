package io.maestro.tools;

import io.maestro.error.MaestroException;
import org.jspecify.annotations.Nullable;

/** A tool could not be registered, found or created. The message names the tool and where it comes from. */
public class ToolException extends MaestroException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes an exception without a cause.
     *
     * @param message what happened, with which value, and what to do
     */
    public ToolException(String message) {
        this(message, null);
    }

    /**
     * Creates an exception.
     *
     * @param message which tool, from where, what is wrong, and what to do
     * @param cause the failure underneath, or null
     */
    public ToolException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
