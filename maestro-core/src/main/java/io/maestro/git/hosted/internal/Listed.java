package io.maestro.git.hosted.internal;

import java.util.List;

/**
 * A list that strangers can make long.
 *
 * @param items what was read of it
 * @param whole whether nothing is left out
 * @param <T> what it has
 */
public record Listed<T>(List<T> items, boolean whole) {}
