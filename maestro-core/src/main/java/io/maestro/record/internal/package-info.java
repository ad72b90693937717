/**
 * How the record is kept and how secrets are found. Not for use from outside.
 */
@NullMarked
package io.maestro.record.internal;

import org.jspecify.annotations.NullMarked;
