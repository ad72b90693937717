/** Coder modes for tests. */
@NullMarked
package io.maestro.agents;

import org.jspecify.annotations.NullMarked;
