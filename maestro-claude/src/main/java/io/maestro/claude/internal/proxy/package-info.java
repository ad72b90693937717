/** Carrying MCP messages between the CLI's side and a TCP port of the host. */
@NullMarked
package io.maestro.claude.internal.proxy;

import org.jspecify.annotations.NullMarked;
