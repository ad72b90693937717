/** What keeps a fault of a telemetry from the work. */
@NullMarked
package io.maestro.telemetry.internal;

import org.jspecify.annotations.NullMarked;
