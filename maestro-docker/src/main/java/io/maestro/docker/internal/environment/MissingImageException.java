package io.maestro.docker.internal.environment;

import io.maestro.docker.DockerException;

/** The image that the host has configured cannot be had. Nobody goes on without it, as only the host can help. */
final class MissingImageException extends DockerException {
    private static final long serialVersionUID = 1L;

    MissingImageException(String message, Throwable cause) {
        super(message, cause);
    }
}
