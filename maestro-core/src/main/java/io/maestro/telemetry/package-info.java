/**
 * Who traces what agents, models and tools do. Each row of a call has one span: {@code CallJournal} writes the one and begins
 * the other. Only a run of the project's tests that is cancelled has a span and no row.
 */
@NullMarked
package io.maestro.telemetry;

import org.jspecify.annotations.NullMarked;
