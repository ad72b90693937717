/** Tests of the way out by name. */
@NullMarked
package io.maestro.docker.internal.egress;

import org.jspecify.annotations.NullMarked;
