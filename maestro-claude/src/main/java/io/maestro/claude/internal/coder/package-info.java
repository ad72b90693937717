/**
 * Claude Code as a coder of Maestro: PLANNING and CODING. {@link io.maestro.claude.internal.coder.OwnToolPaths} alone sees to it that
 * the CLI's own file tools open the paths that policies have decided on.
 */
@NullMarked
package io.maestro.claude.internal.coder;

import org.jspecify.annotations.NullMarked;
