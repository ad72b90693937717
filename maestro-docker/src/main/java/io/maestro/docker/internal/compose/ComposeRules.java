package io.maestro.docker.internal.compose;

import io.maestro.docker.ContainerLimits;

/**
 * What a compose file may ask for. Immutable.
 *
 * @param publishPorts whether ports are published, on the loopback address of the engine's machine only; otherwise they are
 *     left out, and services are reached through the stack's network
 * @param containerNames whether {@code container_name} is kept; otherwise it is left out, so that two agents can use one file
 * @param defaults the limits of a service that asks for none
 * @param most what a service may ask for at most; more is refused, not cut, because a service that was built for more would
 *     fail later and less clearly
 * @param mostContainers how many containers a stack has at most; at least 1
 * @param confined whether services reach nothing but each other and the agent
 * @param mostCopiedBytes how much is copied from the workspace at most, for builds, configs, secrets and bind mounts together
 */
public record ComposeRules(
        boolean publishPorts,
        boolean containerNames,
        ContainerLimits defaults,
        ContainerLimits most,
        int mostContainers,
        boolean confined,
        long mostCopiedBytes) {
    /** Checks the ranges. */
    public ComposeRules {
        if (mostContainers < 1 || mostCopiedBytes < 1) {
            throw new IllegalArgumentException("a stack needs room for at least one container and one byte, not "
                    + mostContainers + " and " + mostCopiedBytes);
        }
        if (defaults.cpus() > most.cpus()
                || defaults.memoryBytes() > most.memoryBytes()
                || defaults.pids() > most.pids()) {
            throw new IllegalArgumentException("the default limits " + defaults + " are more than the most " + most);
        }
    }

    /** No ports, no names, limits as while planning by default and as while coding at most, 20 containers, 512 MiB copied. */
    public static ComposeRules standard() {
        return new ComposeRules(false, false, ContainerLimits.PLANNING, ContainerLimits.CODING, 20, false, 512L << 20);
    }

    /** The same with ports and container names kept or not. */
    public ComposeRules with(boolean ports, boolean names) {
        return new ComposeRules(ports, names, defaults, most, mostContainers, confined, mostCopiedBytes);
    }

    /** The same with other limits; what a service gets that asks for nothing is never more. */
    public ComposeRules atMost(ContainerLimits limits, int containers) {
        ContainerLimits unasked = new ContainerLimits(
                Math.min(defaults.cpus(), limits.cpus()),
                Math.min(defaults.memoryBytes(), limits.memoryBytes()),
                Math.min(defaults.pids(), limits.pids()));
        return new ComposeRules(publishPorts, containerNames, unasked, limits, containers, confined, mostCopiedBytes);
    }

    /** The same with services confined or not. */
    public ComposeRules confined(boolean only) {
        return new ComposeRules(publishPorts, containerNames, defaults, most, mostContainers, only, mostCopiedBytes);
    }
}
