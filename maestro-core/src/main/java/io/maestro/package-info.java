/**
 * The entry point: build a {@link io.maestro.Maestro}, run stories, close it.
 */
@NullMarked
package io.maestro;

import org.jspecify.annotations.NullMarked;
