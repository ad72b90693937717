package io.maestro.docker;

import io.maestro.docker.internal.egress.EgressRules;
import io.maestro.tools.NetworkAccess;
import java.util.List;

/**
 * The network of a container. Immutable.
 *
 * @param name {@code none}; {@code bridge} for one that no other attempt is on; or the name of one that the engine has, which
 *     is never the host's
 * @param allow names that are reached through a proxy of this machine, which looks them up, refuses addresses that are not on
 *     the internet, and compares the name that TLS asks for; only where {@code name} is {@code none}
 * @param mirrors names of the host's own, whose addresses may be private; as {@code allow} otherwise
 */
public record ContainerNetwork(String name, List<String> allow, List<String> mirrors) {
    private static final String NO_NETWORK = "none";
    private static final String BRIDGE = "bridge";

    /** Nothing but its loopback. */
    public static final ContainerNetwork NONE = of(NO_NETWORK);

    /** A network that no other attempt is on, and from it the internet. */
    public static final ContainerNetwork OPEN = of(BRIDGE);

    /**
     * Copies, and checks.
     *
     * @param name of the network
     * @param allow names that are reached
     * @param mirrors names of the host's own
     * @throws IllegalArgumentException when a name is none; the message says which
     */
    public ContainerNetwork {
        allow = List.copyOf(allow);
        mirrors = List.copyOf(mirrors);
        if (!name.matches("[A-Za-z0-9][A-Za-z0-9_.-]{0,127}") || name.equals("host")) {
            throw new IllegalArgumentException(
                    "must be none, open, the name of a network, which is never the host's, or a list of names that may be"
                            + " reached; it is '" + name + "'");
        }
        EgressRules.of(allow, mirrors);
    }

    /**
     * A network by its name.
     *
     * @param name as in the file: {@code none}, {@code open} (or {@code bridge}), or the name of one that the engine has
     * @return the network
     * @throws IllegalArgumentException when it is no name, or {@code host}
     */
    public static ContainerNetwork of(String name) {
        return new ContainerNetwork(name.equals("open") ? BRIDGE : name, List.of(), List.of());
    }

    /**
     * No network, but names that are reached through a proxy. Only for an engine on this machine itself.
     *
     * @param allow names, as {@code repo.example.org}, {@code *.example.org} for all below it, both with a port or without, which
     *     means 443 with TLS and 80 without; or {@code maven}, {@code gradle}, {@code npm}, {@code pypi}, {@code go} or {@code
     *     cargo} for what these fetch packages from
     * @param mirrors names of the host's own, whose addresses may be private, with a port or without
     * @return the network
     * @throws IllegalArgumentException when one is no such name; the message says which
     */
    public static ContainerNetwork names(List<String> allow, List<String> mirrors) {
        return new ContainerNetwork(NO_NETWORK, allow, mirrors);
    }

    /**
     * Whether nothing beyond its own containers and the names is in reach.
     *
     * @return true without a network
     */
    public boolean isConfined() {
        return name.equals(NO_NETWORK);
    }

    /**
     * Whether the attempt has it for itself.
     *
     * @return true for {@link #OPEN}
     */
    public boolean isOwn() {
        return name.equals(BRIDGE);
    }

    /**
     * Whether a proxy leads to names.
     *
     * @return false where none are named
     */
    public boolean hasNames() {
        return isConfined() && !(allow.isEmpty() && mirrors.isEmpty());
    }

    /**
     * Whether commands may reach a server; what a network of the engine that has a name leads to is not known here.
     *
     * @param host a name or an address
     * @param port from 1 to 65535
     * @param tls whether the connection is by TLS
     * @return true on every network, else when a name allows it
     */
    public boolean mayReach(String host, int port, boolean tls) {
        return !isConfined() || EgressRules.of(allow, mirrors).allow(host, port, tls);
    }

    /**
     * What commands reach.
     *
     * @return a named network of the engine counts as open
     */
    public NetworkAccess access() {
        return !isConfined() ? NetworkAccess.OPEN : hasNames() ? NetworkAccess.LISTED : NetworkAccess.NONE;
    }
}
