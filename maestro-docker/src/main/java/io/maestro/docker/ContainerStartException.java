package io.maestro.docker;

import org.jspecify.annotations.Nullable;

/** A container did not come up; nothing of it is left. */
public class ContainerStartException extends DockerException {
    private static final long serialVersionUID = 1L;

    /** Why a container did not come up. */
    public enum Reason {
        /** The engine does not have the image; nothing is pulled. */
        IMAGE_MISSING,
        /** The image has no POSIX shell, without which no command can be run in it. */
        NO_SHELL,
        /** The container ended at once. */
        ENDED,
        /** It runs, but does not answer in time. */
        NO_ANSWER,
        /** The engine does not make such a container: a mount, a network, a user or a limit that it does not take. */
        REFUSED,
        /** The calling thread was interrupted. */
        CANCELLED
    }

    /** Why. */
    private final Reason reason;

    /**
     * Creates an exception.
     *
     * @param reason why
     * @param message what was to be started, what happened and what to do
     * @param cause the failure underneath, or null
     */
    public ContainerStartException(Reason reason, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    /**
     * Why the container did not come up.
     *
     * @return the reason
     */
    public Reason reason() {
        return reason;
    }
}
