package io.maestro.environment;

import io.maestro.tools.NetworkAccess;
import io.maestro.tools.ToolFactory;
import java.util.List;
import java.util.Map;

/** The environments of one Maestro. Safe for use by several threads. */
public interface Environments extends AutoCloseable {
    /**
     * Removes what earlier lives of this project have left: containers, services and networks, and what attempts have kept that
     * are not open any more. Called once, before anything is opened.
     *
     * @param openAttempts the attempts that may go on: by the id of the story, the number of its attempt. What another attempt
     *     has kept is an orphan
     * @throws io.maestro.error.MaestroException when something cannot be removed; the message names it
     */
    void endLeftovers(Map<String, Integer> openAttempts);

    /**
     * Opens the environment of an agent for one attempt at a story; nothing needs to be started before {@link
     * Environment#enter}.
     *
     * @param place who will work where
     * @return {@linkplain Environment#close closed} when the attempt is left, as it waits or Maestro is closed;
     *     {@linkplain Environment#remove removed} when it has ended, however it did
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
     * Closes all environments that are still open, and removes everything that was made and is still there, except for what
     * attempts keep: see {@link Environment#close}. None can be opened or entered any more. A second call does nothing.
     */
    @Override
    void close();
}
