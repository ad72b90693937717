/** A proxy before the Messages API that holds the key. */
@NullMarked
package io.maestro.claude.internal.gateway;

import org.jspecify.annotations.NullMarked;
