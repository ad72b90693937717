/**
 * How commands are run in a container.
 */
@NullMarked
package io.maestro.docker.internal.exec;

import org.jspecify.annotations.NullMarked;
