/** Running the CLI: its command line, its files, its process, what is said to it and what it says, and its limits. */
@NullMarked
package io.maestro.claude.internal.run;

import org.jspecify.annotations.NullMarked;
