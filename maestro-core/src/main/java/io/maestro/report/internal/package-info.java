/**
 * How reports are made.
 */
@NullMarked
package io.maestro.report.internal;

import org.jspecify.annotations.NullMarked;
