/**
 * Keeps the record in SQLite or PostgreSQL. {@code RedactingRecords} is the one place where secrets are taken out of rows. Not for
 * use from outside.
 */
@NullMarked
package io.maestro.record.internal;

import org.jspecify.annotations.NullMarked;
