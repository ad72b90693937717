/** A server of the Model Context Protocol (MCP) that offers tools, and nothing else of the protocol. */
@NullMarked
package io.maestro.mcp;

import org.jspecify.annotations.NullMarked;
