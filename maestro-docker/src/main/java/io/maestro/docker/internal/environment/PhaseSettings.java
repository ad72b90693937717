package io.maestro.docker.internal.environment;

import io.maestro.docker.ContainerLimits;

/**
 * What a container may take in a phase.
 *
 * @param limits how much of the machine
 * @param network {@code none}, {@code bridge} or the name of a network
 */
public record PhaseSettings(ContainerLimits limits, String network) {
    static final String NO_NETWORK = "none";
    private static final String BRIDGE = "bridge";

    static final PhaseSettings PLANNING = new PhaseSettings(ContainerLimits.PLANNING, NO_NETWORK);
    static final PhaseSettings CODING = new PhaseSettings(ContainerLimits.CODING, BRIDGE);
    static final PhaseSettings ARCHITECT = new PhaseSettings(ContainerLimits.ARCHITECT, NO_NETWORK);

    /** These, changed by what a section says. */
    PhaseSettings changedBy(Section section) {
        double cpus = section.number("cpus", 0, 10_000).orElse(limits.cpus());
        double megabytes = section.number("memory_mb", 0, 1 << 30).orElse(-1);
        long pids = section.whole("pids", 1, 1 << 22).orElse(limits.pids());
        String name = section.text("network").orElse(network);
        if (!name.matches("[A-Za-z0-9][A-Za-z0-9_.-]{0,127}") || name.equals("host")) {
            throw section.wrong(
                    "network",
                    "must be none, bridge or the name of a network, and never the host's; it is '" + name + "'");
        }
        return new PhaseSettings(
                new ContainerLimits(
                        cpus, megabytes < 0 ? limits.memoryBytes() : Math.round(megabytes * (1 << 20)), (int) pids),
                name);
    }
}
