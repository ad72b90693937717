/** How an agent's files get into its containers: mounted as they are, or through a volume of an engine that is elsewhere. */
@NullMarked
package io.maestro.docker.internal.workspace;

import org.jspecify.annotations.NullMarked;
