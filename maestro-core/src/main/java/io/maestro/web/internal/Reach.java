package io.maestro.web.internal;

import io.maestro.environment.Phase;

/** What the commands of an agent may reach by the network of their sandbox: whoever fetches in their place asks. */
@FunctionalInterface
public interface Reach {
    /**
     * Whether they may reach a server.
     *
     * @param phase the phase that the agent is in
     * @param host a name, or an address without brackets
     * @param port from 1 to 65535
     * @param tls whether it is spoken to by TLS
     */
    boolean mayReach(Phase phase, String host, int port, boolean tls);
}
