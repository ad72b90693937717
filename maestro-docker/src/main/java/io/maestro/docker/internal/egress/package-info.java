/** The way out of containers that may reach some names and nothing else. */
@NullMarked
package io.maestro.docker.internal.egress;

import org.jspecify.annotations.NullMarked;
