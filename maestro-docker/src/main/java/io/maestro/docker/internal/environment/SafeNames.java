package io.maestro.docker.internal.environment;

/** Names of images that belong to Maestro itself. */
public final class SafeNames {
    /** The safe image. */
    public static final String NAME = "maestro-bootstrap";

    private SafeNames() {}
}
