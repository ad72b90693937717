/** Claude Code as a coder of Maestro: PLANNING and CODING. */
@NullMarked
package io.maestro.claude.internal.coder;

import org.jspecify.annotations.NullMarked;
