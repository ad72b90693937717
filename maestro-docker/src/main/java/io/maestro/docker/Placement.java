package io.maestro.docker;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Chooses the engine for an agent's attempt at a story. Implementations are safe for use by several threads, and only choose:
 * whoever asks counts the agents.
 */
@FunctionalInterface
public interface Placement {
    /**
     * An engine that may be chosen.
     *
     * @param host the engine
     * @param running how many agents of this Maestro run there; 0 or more
     * @param cpus processors of its machine; 1 or more
     * @param available whether it answers and has what the agent needs, as files and sockets of this machine; one that is not
     *     must not be chosen
     */
    record Candidate(DockerHost host, int running, int cpus, boolean available) {
        /**
         * Checks the ranges.
         *
         * @param host the engine
         * @param running how many agents run there
         * @param cpus processors of its machine
         * @param available whether it answers and has what the agent needs
         * @throws IllegalArgumentException when a number is out of its range
         */
        public Candidate {
            if (running < 0 || cpus < 1) {
                throw new IllegalArgumentException(
                        "running must be 0 or more and cpus 1 or more, are " + running + " and " + cpus);
            }
        }
    }

    /**
     * Chooses.
     *
     * @param agentId whom the engine is for, for example {@code coder-001}
     * @param candidates all engines, in the order of the settings, with those that are not available; at least one
     * @return the host of one that is available
     * @throws DockerUnavailableException when none is; it may be asked again later
     */
    DockerHost choose(String agentId, List<Candidate> candidates);

    /**
     * Chooses the engine with the fewest running agents for its processors, of equal ones the first.
     *
     * @return the default
     */
    static Placement leastLoaded() {
        return (agentId, candidates) -> available(agentId, candidates).stream()
                .min(Comparator.comparingDouble(candidate -> (double) candidate.running() / candidate.cpus()))
                .orElseThrow()
                .host();
    }

    /**
     * Chooses one engine after the other.
     *
     * @return a new one, which begins with the first engine
     */
    static Placement roundRobin() {
        AtomicInteger next = new AtomicInteger();
        return (agentId, candidates) -> {
            available(agentId, candidates);
            int from = Math.floorMod(next.getAndIncrement(), candidates.size());
            int at = from;
            while (!candidates.get(at).available()) {
                at = (at + 1) % candidates.size();
            }
            return candidates.get(at).host();
        };
    }

    /**
     * Always chooses the same engine for an agent; the least loaded one for an agent that is not named.
     *
     * @param hosts the engine by the agent's id
     * @return a placement that fails while the engine of an agent does not answer
     */
    static Placement fixed(Map<String, DockerHost> hosts) {
        Map<String, DockerHost> copy = Map.copyOf(hosts);
        Placement others = leastLoaded();
        return (agentId, candidates) -> {
            DockerHost host = copy.get(agentId);
            if (host == null) {
                return others.choose(agentId, candidates);
            }
            Candidate candidate = candidates.stream()
                    .filter(some -> some.host().equals(host))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("agent " + agentId + " is placed on " + host.name()
                            + ", which is not one of the engines " + names(candidates) + "; add it to them"));
            if (!candidate.available()) {
                throw new DockerUnavailableException(
                        "the engine " + host.name() + ", the only one for agent " + agentId
                                + ", does not answer, or does not have what it needs of this machine; start it, or place the"
                                + " agent elsewhere",
                        null);
            }
            return host;
        };
    }

    private static List<Candidate> available(String agentId, List<Candidate> candidates) {
        List<Candidate> available =
                candidates.stream().filter(Candidate::available).toList();
        if (available.isEmpty()) {
            throw new DockerUnavailableException(
                    "no engine answers for agent " + agentId + "; start one of " + names(candidates), null);
        }
        return available;
    }

    private static List<String> names(List<Candidate> candidates) {
        return candidates.stream().map(candidate -> candidate.host().name()).toList();
    }
}
