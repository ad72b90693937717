/**
 * What executors share: output in bounded memory, and waits that clean up to their end.
 */
@NullMarked
package io.maestro.exec.internal;

import org.jspecify.annotations.NullMarked;
