/** Where an agent's commands run: in containers that are made anew whenever the phase or the image changes. */
@NullMarked
package io.maestro.docker.internal.environment;

import org.jspecify.annotations.NullMarked;
