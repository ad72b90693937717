/** The tool {@code containers}. */
@NullMarked
package io.maestro.docker.internal.sandbox.tool;

import org.jspecify.annotations.NullMarked;
