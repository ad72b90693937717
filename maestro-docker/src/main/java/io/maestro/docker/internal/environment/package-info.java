/**
 * Where an agent's commands run: in containers that are made anew whenever the phase or the image changes. Which images agents may
 * use is decided in {@code UsableImages}, and which were built here is recorded in {@code BuiltImages}.
 */
@NullMarked
package io.maestro.docker.internal.environment;

import org.jspecify.annotations.NullMarked;
