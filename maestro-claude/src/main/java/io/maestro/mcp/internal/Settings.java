package io.maestro.mcp.internal;

import io.maestro.mcp.McpTools;
import java.time.Duration;
import java.util.Set;

/**
 * What a server was built with.
 *
 * @param tools what it offers
 * @param name its own name, told to clients
 * @param version its own version, told to clients
 * @param instructions told to the model by the client; empty for none
 * @param maxMessageBytes how long a message of a client may be
 * @param progressInterval how often a client hears that its call still runs
 * @param loginLimit how long a client may take to show its token, and an HTTP client to send one request
 * @param idleLimit how long an HTTP connection may do nothing
 * @param maxConnections how many clients may be connected, on each endpoint
 * @param maxCalls how many calls may run
 * @param hosts further names by which HTTP clients may call this machine
 */
public record Settings(
        McpTools tools,
        String name,
        String version,
        String instructions,
        int maxMessageBytes,
        Duration progressInterval,
        Duration loginLimit,
        Duration idleLimit,
        int maxConnections,
        int maxCalls,
        Set<String> hosts) {}
