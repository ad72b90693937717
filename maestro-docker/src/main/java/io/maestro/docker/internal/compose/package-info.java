/** Services beside an agent's container: compose files that are not trusted, and the stacks made of them. */
@NullMarked
package io.maestro.docker.internal.compose;

import org.jspecify.annotations.NullMarked;
