package io.maestro.docker;

import io.maestro.exec.ExecException;
import org.jspecify.annotations.Nullable;

/**
 * A command had begun, or may have, when the connection to it was lost, for example because its container was removed. It does
 * not run any more; what it has done until then is unknown, so whoever runs it again must know that this does no harm.
 */
public class CommandLostException extends ExecException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message which command was lost, where and why
     * @param cause the failure underneath, or null
     */
    public CommandLostException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
