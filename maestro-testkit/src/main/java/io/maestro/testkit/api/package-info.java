/** A stub of the Anthropic Messages API, for tests of hosts that run Claude Code or a client of their own without cost. */
@NullMarked
package io.maestro.testkit.api;

import org.jspecify.annotations.NullMarked;
