package io.maestro.environment;

import java.net.InetAddress;

/**
 * How programs in an environment reach a server of this machine.
 *
 * @param address the address of this machine that the server must listen on; never the wildcard
 * @param name the name or address under which programs in the environment know it
 */
public record HostRoute(InetAddress address, String name) {
    /**
     * Checks the address.
     *
     * @param address the address to listen on
     * @param name the name inside
     */
    public HostRoute {
        if (address.isAnyLocalAddress()) {
            throw new IllegalArgumentException("a server for agents must not listen on all interfaces: " + address);
        }
    }
}
