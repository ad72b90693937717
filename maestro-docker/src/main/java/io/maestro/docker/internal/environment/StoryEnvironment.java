package io.maestro.docker.internal.environment;

import io.maestro.docker.DockerException;
import io.maestro.docker.DockerUnavailableException;
import io.maestro.docker.internal.ClosingTime;
import io.maestro.docker.internal.Container;
import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.compose.ComposeStack;
import io.maestro.docker.internal.disk.DiskGuard;
import io.maestro.environment.Environment;
import io.maestro.environment.HostRoute;
import io.maestro.environment.ImageCheck;
import io.maestro.environment.Phase;
import io.maestro.environment.Workplace;
import io.maestro.error.MaestroException;
import io.maestro.exec.ExecException;
import io.maestro.exec.Executor;
import io.maestro.internal.Uninterrupted;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The containers of one attempt at a story. At any time one of them is the agent's; whenever the phase or the image changes,
 * the new one is started and checked before the old one goes. Safe for use by several threads.
 */
public final class StoryEnvironment implements Environment {
    private static final Logger LOG = LoggerFactory.getLogger(StoryEnvironment.class);

    private final Workplace place;
    private final MountTargets places;
    private final AttemptEngines engines;
    private final ProjectImages images;
    private final Consumer<StoryEnvironment> onClose;
    private final ClosingTime closing;
    private final Duration closeTime;
    private final AgentContainers containers;
    private final ImageChoice choice;
    private final CurrentContainerExecutor executor;

    private final DiskGuard disks;

    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable AttemptEngine attemptEngine;
    private volatile @Nullable AgentContainer current;
    private volatile boolean closed;

    /**
     * An environment in which nothing is made yet.
     *
     * @param engines gives it a place on an engine when it needs one
     * @param onClose is told when it is closed
     * @param closeTime how long its end may take
     */
    StoryEnvironment(
            Workplace place,
            MountTargets places,
            AttemptEngines engines,
            ProjectImages images,
            Consumer<StoryEnvironment> onClose,
            ClosingTime closing,
            Duration closeTime) {
        this.place = place;
        this.places = places;
        this.engines = engines;
        this.images = images;
        this.onClose = onClose;
        this.closing = closing;
        this.closeTime = closeTime;
        this.containers = new AgentContainers(place, this::attemptEngine);
        this.choice = new ImageChoice(place, images);
        this.disks = new DiskGuard(() -> attemptEngine().disks(), this::renew, this::end);
        this.executor = new CurrentContainerExecutor(disks, new CurrentContainerExecutor.Current() {
            @Override
            public AgentContainer container() {
                return StoryEnvironment.this.currentContainer();
            }

            @Override
            public Optional<String> replaceIfLost(AgentContainer agentContainer) {
                return StoryEnvironment.this.replaceIfLost(agentContainer);
            }
        });
    }

    /** Who works here. */
    public Workplace place() {
        return place;
    }

    /**
     * Where it runs.
     *
     * @throws io.maestro.docker.DockerUnavailableException when no engine answers
     */
    public Engine engine() {
        return attemptEngine().engine();
    }

    private AttemptEngine attemptEngine() {
        lock.lock();
        try {
            requireOpen();
            AttemptEngine known = attemptEngine;
            if (known == null) {
                known = engines.take(place, places, this::containerIds);
                attemptEngine = known;
            }
            return known;
        } finally {
            lock.unlock();
        }
    }

    /** What all containers have written beside the workspace is removed with them. */
    private void renew(String why) {
        lock.lock();
        try {
            AgentContainer agentContainer = current;
            if (!closed && agentContainer != null) {
                LOG.warn("{} gets a new container and loses its services: {}", place.agentId(), why);
                disks.tell(
                        why + "; everything that ran was ended, your services are gone, and a new container runs now");
                removeExtras();
                move(opened(agentContainer.phase()));
            }
        } finally {
            lock.unlock();
        }
    }

    private void end(String why) {
        lock.lock();
        try {
            AgentContainer agentContainer = current;
            if (!closed && agentContainer != null) {
                LOG.warn("{} gets no container any more: {}", place.agentId(), why);
                disks.isFull(why);
                containers.discard(agentContainer);
                removeExtras();
            }
        } finally {
            lock.unlock();
        }
    }

    /** The services, and containers that it can do without. */
    private void removeExtras() {
        AttemptEngine here = attemptEngine();
        here.services().end();
        here.engine().containers().stream()
                .filter(container -> container.agentId().equals(place.agentId()))
                .filter(container -> PhaseSpecs.EXTRAS.contains(container.role()))
                .forEach(here.engine()::remove);
    }

    private List<String> containerIds() {
        AgentContainer agentContainer = current;
        return agentContainer == null
                ? List.of()
                : List.of(agentContainer.container().id());
    }

    /** The services of compose files that the agent has brought up, or will. */
    public ComposeStack stack() {
        return attemptEngine().services().stack();
    }

    /** Whether commands have a network of their own while coding, and none that the settings name. */
    public boolean hasOwnNetwork() {
        return attemptEngine().specs().hasOwnNetwork(Phase.CODING);
    }

    /** Whether its containers see the very files of this machine. */
    public boolean bindsWorkspace() {
        return attemptEngine().specs().bindsWorkspace();
    }

    /**
     * Watches from now on what it holds on disks, although no command of the agent's own may run.
     *
     * @throws DockerException when nothing runs here any more
     */
    public void watchDisks() {
        disks.requireRoom();
        disks.begin();
    }

    /**
     * Checks that something may run here.
     *
     * @throws DockerException when nothing runs here any more
     */
    public void requireRoom() {
        disks.requireRoom();
    }

    /** Knows the project's images. */
    public ProjectImages images() {
        return images;
    }

    /** The phase that the environment is in; planning, which may do least, before it is entered. */
    public Phase phase() {
        AgentContainer agentContainer = current;
        return agentContainer == null ? Phase.PLANNING : agentContainer.phase();
    }

    /**
     * What runs at the moment.
     *
     * @param container the agent's container
     * @param image its image
     * @param problem why it is not another; empty when all is well
     */
    public record Now(Container container, ProjectImage image, Optional<String> problem) {}

    /** What runs at the moment; empty before the first phase is entered. */
    public Optional<Now> now() {
        AgentContainer agentContainer = current;
        return agentContainer == null
                ? Optional.empty()
                : Optional.of(new Now(agentContainer.container(), agentContainer.image(), choice.problem()));
    }

    @Override
    public void enter(Phase phase) {
        lock.lock();
        try {
            requireOpen();
            disks.requireRoom();
            AgentContainer agentContainer = current;
            if (agentContainer != null && agentContainer.phase() == phase) {
                if (engine().isRunning(agentContainer.container())) {
                    return;
                }
                LOG.warn("{}; a new one is started", ContainerEnd.of(engine(), agentContainer.container()));
            }
            try {
                if (agentContainer == null) {
                    disks.requireReserve();
                }
                move(opened(phase));
            } catch (DockerUnavailableException e) {
                leaveUnused();
                throw e;
            }
        } finally {
            lock.unlock();
        }
    }

    /** An engine that does not answer, and that has nothing of ours yet, is exchanged for another next time. */
    private void leaveUnused() {
        AttemptEngine known = attemptEngine;
        if (known != null && current == null) {
            known.services().failed();
            try {
                known.services().close();
                attemptEngine = null;
            } catch (RuntimeException e) {
                LOG.warn("{} stays with an engine that does not answer: {}", place.agentId(), e.getMessage());
            }
        }
    }

    @Override
    public Executor executor() {
        return executor;
    }

    @Override
    public String locate(Path directory) {
        return places.of(directory);
    }

    @Override
    public Optional<String> stateDirectory() {
        return ContainerExtras.stateDirectory(place);
    }

    @Override
    public Optional<String> socketDirectory() {
        return place.equipment().sockets().isEmpty()
                ? Optional.empty()
                : attemptEngine().extras().socketDirectory();
    }

    @Override
    public Optional<String> programDirectory() {
        return place.equipment().programs().isEmpty()
                ? Optional.empty()
                : attemptEngine().extras().programDirectory();
    }

    @Override
    public Optional<HostRoute> hostRoute() {
        AgentContainer agentContainer = current;
        return agentContainer == null
                ? Optional.empty()
                : attemptEngine().extras().route(agentContainer.phase());
    }

    @Override
    public void resume(String image) {
        lock.lock();
        try {
            choice.resume(engine(), image);
        } finally {
            lock.unlock();
        }
    }

    /**
     * How a change of the container went.
     *
     * @param done whether the image that was asked for runs now
     * @param now what runs now
     * @param error why it was not done; empty when it was
     */
    public record SwitchResult(boolean done, Now now, Optional<String> error) {}

    /**
     * Makes an image the one that the agent works in: a container from it is started and tried, and takes the place of the
     * agent's. Where that fails the agent gets the safe image.
     *
     * @throws MaestroException when nothing could be started at all, or the engine does not answer
     */
    public SwitchResult switchTo(String image) {
        return change(image, ProjectImage.Origin.SWITCHED, this::fallBack);
    }

    /**
     * Makes an image the one of this story, from now on and in every phase. Where that fails, what ran before goes on.
     *
     * @throws MaestroException when nothing runs any more, or the engine does not answer
     */
    public SwitchResult update(String image) {
        return change(image, ProjectImage.Origin.UPDATED, error -> replaceIfLost(requireContainer()));
    }

    private SwitchResult change(String image, ProjectImage.Origin origin, Consumer<String> whenItFails) {
        lock.lock();
        try {
            Phase phase = requireContainer().phase();
            try {
                ProjectImage wanted = ImageChoice.named(engine(), image, origin);
                move(containers.startUntried(phase, wanted));
                choice.choose(wanted);
                return new SwitchResult(true, requireNow(), Optional.empty());
            } catch (DockerException e) {
                ImageChoice.requireNoInterrupt(e);
                LOG.warn("{} cannot work in {}: {}", place.agentId(), image, e.getMessage());
                String error = String.valueOf(e.getMessage());
                whenItFails.accept(error);
                return new SwitchResult(false, requireNow(), Optional.of(error));
            }
        } finally {
            lock.unlock();
        }
    }

    /** What is wrong with a throwaway container in which commands run; empty when it can be worked in. */
    public List<String> faults(Executor bare, Phase phase) {
        return containers.faults(bare, phase);
    }

    /** A container from the image that is wanted, or else from the safe one. */
    private AgentContainer opened(Phase phase) {
        return choice.start(engine(), image -> containers.start(phase, image));
    }

    /** To the safe image, or to what runs when it is that already. */
    private void fallBack(String why) {
        ProjectImage safe = choice.safe(engine());
        AgentContainer agentContainer = requireContainer();
        if (!agentContainer.image().id().equals(safe.id()) || !engine().isRunning(agentContainer.container())) {
            try {
                move(containers.start(agentContainer.phase(), safe));
            } catch (DockerException e) {
                ImageChoice.requireNoInterrupt(e);
                if (!engine().isRunning(agentContainer.container())) {
                    throw new DockerException(
                            why + "; and the safe image cannot be started either: " + e.getMessage(), e);
                }
                LOG.warn("{} stays in {}: {}", place.agentId(), agentContainer.image(), e.getMessage());
                return;
            }
        }
        choice.fallBack(safe, why);
    }

    /** From here on commands go to the new container. */
    private void move(AgentContainer fresh) {
        AgentContainer old = current;
        current = fresh;
        LOG.info(
                "{} works in {} from {} for {}",
                place.agentId(),
                fresh.container().name(),
                fresh.image(),
                fresh.phase());
        if (old != null) {
            containers.discard(old);
        }
    }

    private AgentContainer currentContainer() {
        AgentContainer agentContainer = current;
        if (agentContainer == null) {
            throw new ExecException(
                    "the environment of " + place.agentId() + (closed ? " is closed" : " has entered no phase yet"),
                    null);
        }
        disks.full().ifPresent(why -> {
            throw new ExecException(why, null);
        });
        return agentContainer;
    }

    private Optional<String> replaceIfLost(AgentContainer agentContainer) {
        lock.lock();
        try {
            if (closed || disks.full().isPresent() || engine().isRunning(agentContainer.container())) {
                return Optional.empty();
            }
            String lost = ContainerEnd.of(engine(), agentContainer.container());
            AgentContainer known = current;
            if (known == null || known == agentContainer) {
                LOG.warn("{}; a new one is started", lost);
                move(opened(agentContainer.phase()));
            }
            return Optional.of(
                    lost + "; a new one runs now, from " + requireNow().image()
                            + ": the workspace is as it was, what was installed or running in the old one is lost");
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String services() {
        return attemptEngine()
                .services()
                .start()
                .map(start -> String.join(",", start.services()) + ":" + start.path())
                .orElse("");
    }

    @Override
    public <T> T runFresh(Path checkout, @Nullable String image, Function<Executor, T> commands) {
        return disks.within(() -> containers.fresh(checkout, start -> startFresh(checkout, image, start), commands));
    }

    private Container startFresh(Path checkout, @Nullable String image, Function<String, Container> start) {
        lock.lock();
        try {
            requireOpen();
            return image == null ? choice.startFresh(engine(), checkout, start) : start.apply(image);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public ImageCheck check(String image, Path checkout) {
        return new ImageChecks(this, checkout).check(image);
    }

    @Override
    public void adopt(String image) {
        String story = place.storyId();
        images.adopt(engine(), place, image, story == null ? "" : story);
    }

    /**
     * Runs something in a container that is thrown away afterwards, whatever happens.
     *
     * @param network whether it may have one, where the phase does
     * @param use gets an executor on the running container
     * @throws DockerException when the container does not come up
     */
    public <T> T throwaway(
            Phase phase, String image, boolean network, Function<ContainerExecutors.ClosableExecutor, T> use) {
        return disks.within(() -> containers.throwaway(phase, image, network, use));
    }

    private void requireOpen() {
        if (closed) {
            throw new MaestroException("the environment of " + place.agentId() + " is closed");
        }
    }

    private AgentContainer requireContainer() {
        requireOpen();
        return currentContainer();
    }

    private Now requireNow() {
        return now().orElseThrow();
    }

    @Override
    public void close() {
        leave(false);
    }

    @Override
    public void remove() {
        leave(true);
    }

    /**
     * Ends within the time to close, whatever hangs; what could not be removed by then is removed by the next start.
     *
     * @param ended whether the attempt has ended, so that nothing of it is kept
     */
    private void leave(boolean ended) {
        closing.within(closeTime, "the environment of " + place.agentId(), () -> {
            long half = closing.left(closeTime).toNanos() / 2;
            // Whoever holds the lock for longer has hung with the engine; the end goes on without it.
            boolean held =
                    Uninterrupted.until(System.nanoTime() + half, nanos -> lock.tryLock(nanos, TimeUnit.NANOSECONDS));
            AttemptEngine known = attemptEngine;
            Failures failures = new Failures();
            try {
                if (!closed) {
                    AgentContainer agentContainer = current;
                    current = null;
                    disks.close();
                    if (known != null) {
                        failures.attempt(() -> AttemptEnd.run(place.agentId(), known, agentContainer));
                    }
                }
                if (ended) {
                    failures.attemptUnlessDown(() -> engines.removeKept(place, known));
                }
                failures.throwFirst();
            } finally {
                closed = true;
                onClose.accept(this);
                if (held) {
                    lock.unlock();
                }
            }
        });
    }
}
