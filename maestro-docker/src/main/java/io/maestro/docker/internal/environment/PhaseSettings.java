package io.maestro.docker.internal.environment;

import io.maestro.docker.ContainerLimits;
import io.maestro.docker.internal.egress.EgressRules;
import io.maestro.tools.NetworkAccess;
import java.util.Optional;

/**
 * What a container may take in a phase.
 *
 * @param limits how much of the machine
 * @param network {@code none}, {@code bridge} for one of its own, or the name of a network
 * @param egress what may be reached by name, through a proxy; only where {@code network} is {@code none}, so that whoever does not
 *     look here gives it nothing
 */
public record PhaseSettings(ContainerLimits limits, String network, Optional<EgressRules> egress) {
    static final String NO_NETWORK = "none";
    static final String BRIDGE = "bridge";
    private static final String OPEN = "open";

    static final PhaseSettings PLANNING = new PhaseSettings(ContainerLimits.PLANNING, NO_NETWORK);
    static final PhaseSettings CODING = new PhaseSettings(ContainerLimits.CODING, BRIDGE);
    static final PhaseSettings ARCHITECT = new PhaseSettings(ContainerLimits.ARCHITECT, NO_NETWORK);

    /** Without a way out by name. */
    public PhaseSettings(ContainerLimits limits, String network) {
        this(limits, network, Optional.empty());
    }

    /** The same without a network. */
    PhaseSettings withoutNetwork() {
        return new PhaseSettings(limits, NO_NETWORK);
    }

    /** Whether nothing beyond its own containers and the names that are allowed is in reach. */
    boolean isConfined() {
        return network.equals(NO_NETWORK);
    }

    /** Whether commands may reach a server; what a network of the engine that has a name leads to is not known here. */
    boolean mayReach(String host, int port, boolean tls) {
        return !isConfined()
                || egress.filter(rules -> rules.allow(host, port, tls)).isPresent();
    }

    /** What commands reach; a named network of the engine counts as open. */
    NetworkAccess access() {
        return !isConfined() ? NetworkAccess.OPEN : egress.isPresent() ? NetworkAccess.LISTED : NetworkAccess.NONE;
    }

    /** Limits, changed by what a section says. */
    static ContainerLimits limits(Section section, ContainerLimits unless) {
        double megabytes = section.number("memory_mb", 0, 1 << 30).orElse(-1);
        return new ContainerLimits(
                section.number("cpus", 0, 10_000).orElse(unless.cpus()),
                megabytes < 0 ? unless.memoryBytes() : Math.round(megabytes * (1 << 20)),
                (int) section.whole("pids", 1, 1 << 22).orElse(unless.pids()));
    }

    /** These, changed by what a section says. */
    PhaseSettings changedBy(Section section) {
        Optional<EgressRules> rules = section.egress("network");
        String name = rules.isPresent()
                ? NO_NETWORK
                : section.text("network")
                        .map(text -> text.equals(OPEN) ? BRIDGE : text)
                        .orElse(network);
        if (!name.matches("[A-Za-z0-9][A-Za-z0-9_.-]{0,127}") || name.equals("host")) {
            throw section.wrong(
                    "network",
                    "must be none, open, the name of a network, which is never the host's, or a list of names that may be"
                            + " reached; it is '" + name + "'");
        }
        return new PhaseSettings(
                limits(section, limits), name, rules.isPresent() || section.has("network") ? rules : egress);
    }
}
