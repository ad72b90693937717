/** The way out of containers that may reach some names and nothing else, and which names strangers may use. */
@NullMarked
package io.maestro.docker.internal.egress;

import org.jspecify.annotations.NullMarked;
