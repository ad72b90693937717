/**
 * How tools are found, checked and run. Not for users. {@link io.maestro.runtime.internal.ChildCalls} alone decides which tools a
 * tool may call, how deep, how often and for how long; {@link io.maestro.runtime.internal.RegistryProvider} makes each tool of an
 * agent once and closes it once.
 */
@NullMarked
package io.maestro.runtime.internal;

import org.jspecify.annotations.NullMarked;
