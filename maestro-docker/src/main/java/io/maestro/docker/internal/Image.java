package io.maestro.docker.internal;

import java.util.Map;

/**
 * An image on the engine.
 *
 * @param id its full id, {@code sha256:…}
 * @param labels its labels
 */
public record Image(String id, Map<String, String> labels) {}
