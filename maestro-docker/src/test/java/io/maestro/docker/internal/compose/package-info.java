/** Compose, with a real engine. */
@NullMarked
package io.maestro.docker.internal.compose;

import org.jspecify.annotations.NullMarked;
