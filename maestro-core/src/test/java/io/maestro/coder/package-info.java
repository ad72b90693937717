/** Coder modes for tests. */
@NullMarked
package io.maestro.coder;

import org.jspecify.annotations.NullMarked;
