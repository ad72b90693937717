/**
 * A server of the Model Context Protocol (MCP) that offers tools, and nothing else of the protocol: {@link
 * io.maestro.mcp.McpServer} serves {@link io.maestro.mcp.McpTools} over HTTP, over TCP, over a pair of streams, or by messages
 * that the caller carries.
 */
@NullMarked
package io.maestro.mcp;

import org.jspecify.annotations.NullMarked;
