/** Environments for tests. */
@NullMarked
package io.maestro.environment;

import org.jspecify.annotations.NullMarked;
