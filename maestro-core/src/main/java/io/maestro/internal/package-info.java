/**
 * Small things that several packages of the core need. Homes of rules: {@link io.maestro.internal.RemoteServer} (failures of the network
 * in words, and which of them is no outage) and {@link io.maestro.internal.RetryAfter} (when a service wants to be asked again). Not
 * for users.
 */
@NullMarked
package io.maestro.internal;

import org.jspecify.annotations.NullMarked;
