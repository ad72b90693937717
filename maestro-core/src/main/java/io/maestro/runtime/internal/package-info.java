/**
 * How tools are found, checked and run. Not for users. {@link io.maestro.runtime.internal.ChildCalls} alone decides which tools a
 * tool may call, how deep, how often and for how long; {@link io.maestro.runtime.internal.AllowedTools} makes each tool of an
 * agent once and closes it once. {@link io.maestro.runtime.internal.Cleaner} redacts answers before it bounds them, {@link
 * io.maestro.secrets.internal.ShownText#part} a part of a text whose beginning an agent chooses.
 */
@NullMarked
package io.maestro.runtime.internal;

import org.jspecify.annotations.NullMarked;
