/** Getting the CLI to where it is to run. */
@NullMarked
package io.maestro.claude.internal.install;

import org.jspecify.annotations.NullMarked;
