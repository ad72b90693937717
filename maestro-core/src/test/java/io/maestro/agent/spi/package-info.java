/** Coder modes for tests. */
@NullMarked
package io.maestro.agent.spi;

import org.jspecify.annotations.NullMarked;
