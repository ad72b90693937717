package io.maestro.docker.internal.environment;

import io.maestro.docker.DockerException;
import io.maestro.docker.DockerHost;
import io.maestro.docker.DockerUnavailableException;
import io.maestro.docker.Placement;
import io.maestro.docker.internal.Engine;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engines of one Maestro: knows how many agents run on each and which answer, and has a placement choose. An engine that
 * did not answer is left alone for a pause, so that not everybody waits for it. Safe for use by several threads.
 */
public final class Engines {
    /** How long an engine that did not answer is left alone. */
    public static final Duration PAUSE = Duration.ofSeconds(30);

    private static final Logger LOG = LoggerFactory.getLogger(Engines.class);

    private final List<Member> members;
    private final Placement placement;
    private final Probe probe;
    private final InstantSource clock;
    private final Duration pause;
    private final ReentrantLock lock = new ReentrantLock();

    /** Asks an engine for a sign of life. */
    @FunctionalInterface
    public interface Probe {
        /**
         * Asks.
         *
         * @return the processors of its machine; 1 or more
         * @throws DockerUnavailableException when it does not answer
         */
        int cpus(Engine engine);
    }

    private static final class Member {
        private final Engine engine;
        /** One asks, the others wait for the answer. */
        private final ReentrantLock asking = new ReentrantLock();
        /** These under the lock of the engines. */
        private int running;

        private int cpus = 1;
        private boolean available;
        private @Nullable Instant failed;

        Member(Engine engine) {
            this.engine = engine;
        }
    }

    /** The engines, with the placement that chooses among them. */
    public Engines(List<Engine> engines, Placement placement) {
        this(engines, placement, Engines::ask, InstantSource.system(), PAUSE);
    }

    Engines(List<Engine> engines, Placement placement, Probe probe, InstantSource clock, Duration pause) {
        if (engines.isEmpty()) {
            throw new IllegalArgumentException("one engine at least is needed");
        }
        this.members = engines.stream().map(Member::new).toList();
        this.placement = placement;
        this.probe = probe;
        this.clock = clock;
        this.pause = pause;
    }

    /** What an engine says of itself is known after the first time; whether it lives is not. */
    private static int ask(Engine engine) {
        if (engine.isKnown()) {
            engine.cli().output("version", "--format", "{{.Server.Version}}");
        }
        return engine.facts().cpus();
    }

    /** A place on an engine, counted until it is closed. Safe for use by several threads. */
    public final class Lease implements AutoCloseable {
        private final Member member;
        private final AtomicBoolean closed = new AtomicBoolean();

        private Lease(Member member) {
            this.member = member;
        }

        /** The engine. */
        public Engine engine() {
            return member.engine;
        }

        /** Notes that the engine has not answered, so that nobody is placed there for a while. */
        public void failed() {
            down(member);
        }

        /** Gives the place back. A second call does nothing. */
        @Override
        public void close() {
            if (closed.compareAndSet(false, true)) {
                lock.lock();
                try {
                    member.running--;
                } finally {
                    lock.unlock();
                }
            }
        }
    }

    /** All engines, in their order. */
    public List<Engine> all() {
        return members.stream().map(member -> member.engine).toList();
    }

    /**
     * Chooses an engine that answers.
     *
     * @param agentId whom it is for
     * @return closed when the agent has left it
     * @throws DockerUnavailableException when none answers
     */
    public Lease lease(String agentId) {
        return lease(agentId, engine -> false, engine -> Optional.empty());
    }

    /**
     * The same, of several engines only among those that have what the agent needs; and where one of them has something of the
     * agent's already, that one.
     *
     * @param agentId whom it is for
     * @param holds whether an engine has something of the agent's
     * @param lacks why an engine cannot run the agent; empty when it can
     * @return closed when the agent has left it
     * @throws DockerUnavailableException when none answers that can run it, but one may later
     * @throws DockerException when all answer and none can run it
     */
    public Lease lease(String agentId, Predicate<Engine> holds, Function<Engine, Optional<String>> lacks) {
        members.forEach(this::look);
        Map<Member, String> unfit = unfit(agentId, lacks);
        Optional<Member> holder = members.size() == 1
                ? Optional.empty()
                : members.stream()
                        .filter(member -> !isPausing(member) && !unfit.containsKey(member) && holds(member, holds))
                        .findFirst();
        if (holder.isPresent()) {
            return count(holder.get());
        }
        lock.lock();
        try {
            List<Placement.Candidate> candidates = new ArrayList<>();
            for (Member member : members) {
                candidates.add(new Placement.Candidate(
                        member.engine.cli().host(),
                        member.running,
                        member.cpus,
                        member.available && !unfit.containsKey(member)));
            }
            DockerHost chosen = placement.choose(agentId, List.copyOf(candidates));
            for (Member member : members) {
                if (member.engine.cli().host().equals(chosen)) {
                    if (unfit.containsKey(member)) {
                        throw new DockerException(
                                "the placement chose " + chosen.name() + " for " + agentId + ", but "
                                        + unfit.get(member) + "; choose one that is available",
                                null);
                    }
                    if (!member.available) {
                        throw new DockerUnavailableException(
                                "the placement chose " + chosen.name() + " for " + agentId
                                        + ", which does not answer; choose an available one",
                                null);
                    }
                    return count(member);
                }
            }
            throw new DockerException(
                    "the placement chose " + chosen.name() + " for " + agentId + ", which is not one of the engines",
                    null);
        } finally {
            lock.unlock();
        }
    }

    /** Why engines that answer cannot run an agent. A single one is not asked: what fails there says so when it is used. */
    private Map<Member, String> unfit(String agentId, Function<Engine, Optional<String>> lacks) {
        Map<Member, String> unfit = new LinkedHashMap<>();
        if (members.size() == 1) {
            return unfit;
        }
        boolean allAnswer = true;
        for (Member member : members) {
            if (isPausing(member)) {
                allAnswer = false;
                continue;
            }
            try {
                lacks.apply(member.engine).ifPresent(why -> unfit.put(member, why));
            } catch (DockerUnavailableException e) {
                down(member);
                allAnswer = false;
            } catch (DockerException e) {
                unfit.put(member, "it is not known whether it can: " + e.getMessage());
            }
        }
        if (allAnswer && unfit.size() == members.size()) {
            throw new DockerException(
                    "none of the engines can run " + agentId + ": " + String.join("; ", unfit.values()), null);
        }
        return unfit;
    }

    private boolean holds(Member member, Predicate<Engine> holds) {
        try {
            return holds.test(member.engine);
        } catch (DockerUnavailableException e) {
            down(member);
            return false;
        }
    }

    private Lease count(Member member) {
        lock.lock();
        try {
            member.running++;
            return new Lease(member);
        } finally {
            lock.unlock();
        }
    }

    /** Asks an engine, unless it has failed a moment ago. */
    private void look(Member member) {
        member.asking.lock();
        try {
            if (isPausing(member)) {
                return;
            }
            try {
                up(member, probe.cpus(member.engine));
            } catch (DockerUnavailableException e) {
                LOG.warn(
                        "{} is left alone for {} s: {}",
                        member.engine.cli().host().name(),
                        pause.toSeconds(),
                        e.getMessage());
                down(member);
            }
        } finally {
            member.asking.unlock();
        }
    }

    private boolean isPausing(Member member) {
        lock.lock();
        try {
            return member.failed != null && clock.instant().isBefore(member.failed.plus(pause));
        } finally {
            lock.unlock();
        }
    }

    private void up(Member member, int cpus) {
        lock.lock();
        try {
            member.cpus = Math.max(1, cpus);
            member.available = true;
            member.failed = null;
        } finally {
            lock.unlock();
        }
    }

    private void down(Member member) {
        lock.lock();
        try {
            member.available = false;
            member.failed = clock.instant();
        } finally {
            lock.unlock();
        }
    }
}
