/** The engine's commands, and what Maestro makes of them; no user may touch this. */
@NullMarked
package io.maestro.docker.internal;

import org.jspecify.annotations.NullMarked;
