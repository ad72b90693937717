/** Traces and metrics by OpenTelemetry; needs {@code opentelemetry-api} on the class path. */
@NullMarked
package io.maestro.telemetry.otel;

import org.jspecify.annotations.NullMarked;
