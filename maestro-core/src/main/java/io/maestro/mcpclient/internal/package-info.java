/**
 * The connections to MCP servers. {@code Pins} alone decides whether a tool is what the host has agreed to, {@code
 * GuardedTransport} which messages of a server are read at all (and that the SDK logs none of their text), {@code BorrowedServer}
 * when a server is started again.
 */
@NullMarked
package io.maestro.mcpclient.internal;

import org.jspecify.annotations.NullMarked;
