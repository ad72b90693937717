/**
 * Containers for agents, through the docker (or podman) command line.
 */
@NullMarked
package io.maestro.docker;

import org.jspecify.annotations.NullMarked;
