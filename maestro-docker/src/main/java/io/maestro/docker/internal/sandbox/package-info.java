/**
 * Containers that are made on request and provided with what their work needs, for programs and for the tool {@code containers}.
 */
@NullMarked
package io.maestro.docker.internal.sandbox;

import org.jspecify.annotations.NullMarked;
