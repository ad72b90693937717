/** Choosing the model, and how the CLI and the host reach each other. */
@NullMarked
package io.maestro.claude.internal.way;

import org.jspecify.annotations.NullMarked;
