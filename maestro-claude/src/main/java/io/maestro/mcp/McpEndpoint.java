package io.maestro.mcp;

import java.net.InetSocketAddress;

/**
 * Where a server listens.
 *
 * @param address the address and port that it has bound
 * @param token what a client must show: as {@code Authorization: Bearer} over HTTP, as the first line over TCP
 */
public record McpEndpoint(InetSocketAddress address, String token) {
    /** Without the token. */
    @Override
    public String toString() {
        return "McpEndpoint[" + address + "]";
    }
}
