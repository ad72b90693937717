/** Takes the output of the CLI apart. */
@NullMarked
package io.maestro.claude.internal.stream;

import org.jspecify.annotations.NullMarked;
