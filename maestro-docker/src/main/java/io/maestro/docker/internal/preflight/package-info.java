/** Looks at an engine and its machine before anything is made there, and says what to do in the words of the platform. */
@NullMarked
package io.maestro.docker.internal.preflight;

import org.jspecify.annotations.NullMarked;
