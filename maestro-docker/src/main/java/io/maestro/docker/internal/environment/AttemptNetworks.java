package io.maestro.docker.internal.environment;

import io.maestro.docker.ContainerNetwork;
import io.maestro.docker.DockerException;
import io.maestro.docker.internal.Container;
import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.Labels;
import io.maestro.docker.internal.egress.Egress;
import io.maestro.docker.internal.egress.EgressRelay;
import io.maestro.docker.internal.egress.EgressRules;
import io.maestro.environment.EnvironmentProject;
import io.maestro.environment.Workplace;
import io.maestro.record.AuditLog;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the containers of one attempt reach: nothing, a network that no other container is on, or names through a proxy of this
 * machine. Made when the first container needs it. Safe for use by several threads.
 */
final class AttemptNetworks {
    private static final Logger LOG = LoggerFactory.getLogger(AttemptNetworks.class);

    /** More are not written down one by one: who is refused can try again for ever. */
    private static final int MOST_RECORDS = 10_000;

    private final Engine engine;
    private final Workplace place;
    private final String user;
    private final Supplier<String> safeImage;
    private final BooleanSupplier isHere;
    private final Path sockets;
    private final EnvironmentProject project;
    private final AtomicInteger records = new AtomicInteger();

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<EgressRules, EgressRelay> relays = new LinkedHashMap<>();
    private int relaysMade;
    private @Nullable String own;

    /**
     * Nothing is made yet.
     *
     * @param user as whom containers work
     * @param safeImage the id of the safe image
     * @param isHere whether the engine's containers run on this machine itself; asked when it matters
     * @param project has the directory for sockets of all attempts, and the record
     */
    AttemptNetworks(
            Engine engine,
            Workplace place,
            String user,
            Supplier<String> safeImage,
            BooleanSupplier isHere,
            EnvironmentProject project) {
        this.engine = engine;
        this.place = place;
        this.user = user;
        this.safeImage = safeImage;
        this.isHere = isHere;
        this.sockets = project.directory().resolve(AttemptEngines.STATE).resolve(AttemptEngines.EGRESS);
        this.project = project;
    }

    /** What the engine knows the network by; there is one then. */
    String name(ContainerNetwork allowed) {
        if (!allowed.isOwn()) {
            return allowed.name();
        }
        lock.lock();
        try {
            String known = own;
            if (known == null || !engine.hasNetwork(known)) {
                String story = place.storyId();
                known = engine.createNetwork(
                                place.agentId(), "net", story == null ? Map.of() : Map.of(Labels.STORY, story))
                        .name();
                own = known;
            }
            return known;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The container whose network others are to have; it runs.
     *
     * @return null when they have one by {@link #name}
     * @throws DockerException when it cannot be made
     */
    @Nullable
    Container relay(ContainerNetwork allowed) {
        if (!allowed.hasNames()) {
            return null;
        }
        EgressRules rules = EgressRules.of(allowed.allow(), allowed.mirrors());
        lock.lock();
        try {
            EgressRelay known = relays.get(rules);
            if (known != null && !known.isRunning()) {
                LOG.warn("the way out of {} has ended; a new one is made", place.agentId());
                relays.remove(rules);
                known.close();
                known = null;
            }
            if (known == null) {
                known = start(rules);
                relays.put(rules, known);
            }
            return known.container();
        } finally {
            lock.unlock();
        }
    }

    /**
     * The same for one container only, so that nobody else has its loopback.
     *
     * @return to be closed when that container is gone; null when it has a network by {@link #name}
     * @throws DockerException when it cannot be made
     */
    @Nullable
    EgressRelay ownRelay(ContainerNetwork allowed) {
        lock.lock();
        try {
            return allowed.hasNames() ? start(EgressRules.of(allowed.allow(), allowed.mirrors())) : null;
        } finally {
            lock.unlock();
        }
    }

    private EgressRelay start(EgressRules rules) {
        if (!isHere.getAsBoolean()) {
            throw new DockerException(
                    "a network with names needs an engine on this machine itself, and "
                            + engine.cli().host().name()
                            + " is in a virtual machine or elsewhere; set the network to none, open or one"
                            + " that the engine has",
                    null);
        }
        return EgressRelay.start(
                engine,
                place.agentId(),
                safeImage.get(),
                user,
                sockets.resolve(place.agentId() + "-" + ++relaysMade),
                rules,
                this::record);
    }

    /**
     * What the commands of a container need to know from its start on.
     *
     * @param others variables that they have, of which some are kept beside this
     */
    Map<String, String> environment(ContainerNetwork allowed, Map<String, String> others) {
        return allowed.hasNames() ? EgressRelay.environment(List.of(), others) : Map.of();
    }

    /** What they need to know while there are services, which no proxy leads to. */
    Map<String, String> environment(ContainerNetwork allowed, Map<String, String> others, List<String> services) {
        return allowed.hasNames() && !services.isEmpty() ? EgressRelay.environment(services, others) : Map.of();
    }

    /** What has to join a network for a container to be on it. */
    String guest(String containerId) {
        return engine.networkOwner(containerId);
    }

    private void record(Egress egress) {
        int number = records.incrementAndGet();
        if (number <= MOST_RECORDS) {
            project.connections()
                    .accept(new AuditLog.NetworkConnection(
                            project.sessionId(),
                            place.agentId(),
                            place.storyId(),
                            place.attempt(),
                            egress.target(),
                            egress.address(),
                            egress.sent(),
                            egress.received(),
                            egress.duration().toMillis(),
                            egress.refused(),
                            Instant.now()));
        } else if (number == MOST_RECORDS + 1) {
            LOG.warn("{} has made {} connections; no more of them are recorded", place.agentId(), MOST_RECORDS);
        }
    }

    /** Removes all of it, and what tools have made that had no time to end; the containers of the attempt are gone. */
    void end() {
        lock.lock();
        try {
            Failures failures = new Failures();
            relays.values().forEach(relay -> failures.attempt(relay::close));
            relays.clear();
            String known = own;
            if (known != null) {
                failures.attempt(() -> engine.removeNetwork(known));
                own = null;
            }
            failures.attemptUnlessDown(() -> engine.networks(place.agentId())
                    .forEach(id -> failures.attemptUnlessDown(() -> engine.removeNetwork(id))));
            failures.throwFirst();
        } finally {
            lock.unlock();
        }
    }
}
