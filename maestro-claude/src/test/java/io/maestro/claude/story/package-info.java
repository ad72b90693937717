/** Whole stories with the real CLI. */
@NullMarked
package io.maestro.claude.story;

import org.jspecify.annotations.NullMarked;
