/** The Claude Code CLI: finding or installing it, running it, and keeping the key of the API away from it. */
@NullMarked
package io.maestro.claude;

import org.jspecify.annotations.NullMarked;
