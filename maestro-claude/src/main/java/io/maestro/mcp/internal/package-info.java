/** How the MCP server does it; no user may touch it. */
@NullMarked
package io.maestro.mcp.internal;

import org.jspecify.annotations.NullMarked;
