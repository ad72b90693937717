/**
 * Containers through the command line of docker or podman: executors, environments for agents, and the tools by which
 * agents look at and change them.
 */
@NullMarked
package io.maestro.docker;

import org.jspecify.annotations.NullMarked;
