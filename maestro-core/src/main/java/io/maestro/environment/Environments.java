package io.maestro.environment;

import io.maestro.tools.NetworkAccess;
import io.maestro.tools.ToolFactory;
import java.util.List;
import java.util.Map;

/** The environments of one Maestro. Safe for use by several threads. */
public interface Environments extends AutoCloseable {
    /**
     * Removes what an earlier life of this project has left: called once, before anything is opened.
     *
     * @throws io.maestro.error.MaestroException when something cannot be removed; the message names it
     */
    void endLeftovers();

    /**
     * Opens the environment of an agent for one attempt at a story; nothing needs to be started before {@link
     * Environment#enter}.
     *
     * @param place who will work where
     * @return closed when the attempt has ended, however it did
     */
    Environment open(Workplace place);

    /**
     * Whether commands are kept from this machine. Only then does the architect, who must not change anything, get a shell,
     * in an environment of its own.
     *
     * @return true for a sandbox
     */
    default boolean isolates() {
        return false;
    }

    /**
     * Whether commands could reach a server of the internet in a phase. Tools that fetch on the host in the place of commands ask, as
     * they must not be a way around a network that is closed.
     *
     * @param phase the phase of the agent for whom a tool works
     * @param host the server's name, in ASCII and lower case
     * @param port from 1 to 65535
     * @param tls whether it is spoken to by TLS
     * @return true where the network is open, or lets them reach that server
     */
    default boolean mayReach(Phase phase, String host, int port, boolean tls) {
        return true;
    }

    /**
     * What commands reach over the network in a phase, for tools that ask.
     *
     * @param phase the phase
     * @return {@link NetworkAccess#UNKNOWN} unless an environment says more
     */
    default NetworkAccess network(Phase phase) {
        return NetworkAccess.UNKNOWN;
    }

    /**
     * Tools by which agents look at and change their environments. They are offered only where these environments are used.
     *
     * @return empty when there are none
     */
    default List<ToolFactory> tools() {
        return List.of();
    }

    /**
     * What these tools get from their context.
     *
     * @return by the type under which they ask for it
     */
    default Map<Class<?>, Object> services() {
        return Map.of();
    }

    /**
     * Removes everything that was made and is still there: environments that are still open are closed by it, and none can be
     * opened or entered any more. A second call does nothing.
     */
    @Override
    void close();
}
