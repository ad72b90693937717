package io.maestro.docker.internal.environment;

import io.maestro.docker.DockerException;
import io.maestro.docker.DockerUnavailableException;
import io.maestro.docker.internal.Container;
import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.Image;
import io.maestro.docker.internal.Uninterrupted;
import io.maestro.docker.internal.compose.ComposeStack;
import io.maestro.environment.Environment;
import io.maestro.environment.ImageCheck;
import io.maestro.environment.Phase;
import io.maestro.environment.Workplace;
import io.maestro.error.MaestroException;
import io.maestro.exec.ExecException;
import io.maestro.exec.Executor;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
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
    private final Places places;
    private final Function<Supplier<List<String>>, Site> sites;
    private final ProjectImages images;
    private final Consumer<StoryEnvironment> onClose;
    private final MovingExecutor executor;

    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Site site;
    private volatile @Nullable Seat current;
    /** What the agent has chosen, in this life or an earlier one. */
    private @Nullable ProjectImage chosen;
    /** The project's own image, once it was looked for. */
    private @Nullable ProjectImage project;
    /** Why another image runs than should. */
    private volatile @Nullable String problem;

    private boolean closed;

    /**
     * An environment in which nothing is made yet.
     *
     * @param sites gives it a place on an engine when it needs one; asks for the ids of its containers then and later
     * @param onClose is told when it is closed
     */
    StoryEnvironment(
            Workplace place,
            Places places,
            Function<Supplier<List<String>>, Site> sites,
            ProjectImages images,
            Consumer<StoryEnvironment> onClose) {
        this.place = place;
        this.places = places;
        this.sites = sites;
        this.images = images;
        this.onClose = onClose;
        this.executor = new MovingExecutor(new MovingExecutor.Seats() {
            @Override
            public Seat seat() {
                return StoryEnvironment.this.seat();
            }

            @Override
            public Optional<String> replaceIfLost(Seat seat) {
                return StoryEnvironment.this.replaceIfLost(seat);
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
        return site().engine();
    }

    private Site site() {
        lock.lock();
        try {
            requireOpen();
            Site known = site;
            if (known == null) {
                known = sites.apply(this::containerIds);
                site = known;
            }
            return known;
        } finally {
            lock.unlock();
        }
    }

    private List<String> containerIds() {
        Seat seat = current;
        return seat == null ? List.of() : List.of(seat.container().id());
    }

    /** The services of compose files that the agent has brought up, or will. */
    public ComposeStack stack() {
        return site().services().stack();
    }

    /** Knows the project's images. */
    public ProjectImages images() {
        return images;
    }

    /** The phase that the environment is in; planning, which may do least, before it is entered. */
    public Phase phase() {
        Seat seat = current;
        return seat == null ? Phase.PLANNING : seat.phase();
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
        Seat seat = current;
        return seat == null
                ? Optional.empty()
                : Optional.of(new Now(seat.container(), seat.image(), Optional.ofNullable(problem)));
    }

    @Override
    public void enter(Phase phase) {
        lock.lock();
        try {
            requireOpen();
            Seat seat = current;
            if (seat != null && seat.phase() == phase) {
                if (engine().isRunning(seat.container())) {
                    return;
                }
                LOG.warn("{}; a new one is started", lostMessage(seat));
            }
            try {
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
        Site known = site;
        if (known != null && current == null) {
            known.failed().run();
            try {
                known.services().close();
                site = null;
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
    public void resume(String image) {
        lock.lock();
        try {
            Optional<Image> found = engine().image(image);
            if (found.isEmpty()) {
                LOG.warn(
                        "the image {} that {} had chosen is not there any more; its commands run in the project's own",
                        image,
                        place.agentId());
                return;
            }
            chosen = new ProjectImage(image, found.get().id(), ProjectImage.Origin.UPDATED);
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
    public record Change(boolean done, Now now, Optional<String> error) {}

    /**
     * Makes an image the one that the agent works in: a container from it is started and tried, and takes the place of the
     * agent's. Where that fails the agent gets the safe image.
     *
     * @throws MaestroException when nothing could be started at all, or the engine does not answer
     */
    public Change switchTo(String image) {
        lock.lock();
        try {
            Phase phase = requireSeat().phase();
            try {
                ProjectImage wanted = found(image, ProjectImage.Origin.SWITCHED);
                move(tried(phase, wanted));
                chosen = wanted;
                problem = null;
                return new Change(true, requireNow(), Optional.empty());
            } catch (DockerException e) {
                requireNoInterrupt(e);
                LOG.warn("{} cannot switch to {}: {}", place.agentId(), image, e.getMessage());
                String error = String.valueOf(e.getMessage());
                fallBack(phase, error);
                return new Change(false, requireNow(), Optional.of(error));
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Makes an image the one of this story, from now on and in every phase. Where that fails, what ran before goes on.
     *
     * @throws MaestroException when nothing runs any more, or the engine does not answer
     */
    public Change update(String image) {
        lock.lock();
        try {
            Phase phase = requireSeat().phase();
            try {
                ProjectImage wanted = found(image, ProjectImage.Origin.UPDATED);
                move(tried(phase, wanted));
                chosen = wanted;
                problem = null;
                return new Change(true, requireNow(), Optional.empty());
            } catch (DockerException e) {
                requireNoInterrupt(e);
                LOG.warn("{} cannot update to {}: {}", place.agentId(), image, e.getMessage());
                replaceIfLost(requireSeat());
                return new Change(false, requireNow(), Optional.of(String.valueOf(e.getMessage())));
            }
        } finally {
            lock.unlock();
        }
    }

    private ProjectImage found(String name, ProjectImage.Origin origin) {
        Image image = engine().image(name)
                .orElseThrow(() -> new DockerException(
                        "there is no image '" + name
                                + "' on the engine, and none is pulled; container_list shows those of"
                                + " the project, container_build makes one",
                        null));
        return new ProjectImage(name, image.id(), origin);
    }

    /** A new container from an image of the agent's choice, which nobody has tried. */
    private Seat tried(Phase phase, ProjectImage image) {
        Container container = engine().start(place.agentId(), site().specs().of(phase, image.id()));
        boolean good = false;
        try {
            // First, because a second start is all that an executor would survive.
            Trial.restart(engine(), container);
            Seat seat = seated(container, phase, image);
            good = true;
            return seat;
        } finally {
            if (!good) {
                engine().remove(container);
            }
        }
    }

    private Seat started(Phase phase, ProjectImage image) {
        Container container = engine().start(place.agentId(), site().specs().of(phase, image.id()));
        boolean good = false;
        try {
            Seat seat = seated(container, phase, image);
            good = true;
            return seat;
        } finally {
            if (!good) {
                engine().remove(container);
            }
        }
    }

    private Seat seated(Container container, Phase phase, ProjectImage image) {
        Rooms.Room room = site().rooms().open(container, phase);
        boolean good = false;
        try {
            List<String> faults = faults(room, phase);
            if (!faults.isEmpty()) {
                throw new DockerException(
                        "a container from " + image + " cannot be worked in: " + String.join("; ", faults), null);
            }
            site().services().join(container);
            good = true;
            return new Seat(container, phase, image, room.executor(), room.closing());
        } finally {
            if (!good) {
                room.closing().run();
            }
        }
    }

    /** What is wrong with a throwaway container; empty when it can be worked in. */
    public List<String> faults(Rooms.Room room, Phase phase) {
        return Trial.faults(room.bare(), phase, hasGit());
    }

    private boolean hasGit() {
        return Files.exists(place.directory().resolve(".git"), LinkOption.NOFOLLOW_LINKS);
    }

    /** A container from the image that is wanted, or else from the safe one. */
    private Seat opened(Phase phase) {
        @Nullable ProjectImage wanted = null;
        try {
            wanted = wanted();
            Seat seat = started(phase, wanted);
            if (!wanted.origin().equals(ProjectImage.Origin.SAFE)) {
                problem = null;
            }
            return seat;
        } catch (DockerException e) {
            requireNoInterrupt(e);
            if (wanted != null && wanted.origin() == ProjectImage.Origin.SAFE) {
                throw e;
            }
            problem = String.valueOf(e.getMessage());
            LOG.warn(
                    "{} works in the safe image, because {} cannot be used: {}",
                    place.agentId(),
                    wanted == null ? "the project's own" : wanted,
                    problem);
            return started(phase, images.safe(engine()));
        }
    }

    private ProjectImage wanted() {
        ProjectImage wanted = chosen;
        if (wanted != null) {
            return wanted;
        }
        ProjectImage own = project;
        if (own == null) {
            own = images.project(engine(), place);
            project = own;
        }
        return own;
    }

    /** To the safe image, or to what runs when it is that already. */
    private void fallBack(Phase phase, String why) {
        ProjectImage safe = images.safe(engine());
        Seat seat = requireSeat();
        if (!seat.image().id().equals(safe.id()) || !engine().isRunning(seat.container())) {
            try {
                move(started(phase, safe));
            } catch (DockerException e) {
                requireNoInterrupt(e);
                if (!engine().isRunning(seat.container())) {
                    throw new DockerException(
                            why + "; and the safe image cannot be started either: " + e.getMessage(), e);
                }
                LOG.warn("{} stays in {}: {}", place.agentId(), seat.image(), e.getMessage());
                return;
            }
        }
        chosen = safe;
        problem = why;
    }

    /** From here on commands go to the new container. */
    private void move(Seat fresh) {
        Seat old = current;
        current = fresh;
        LOG.info(
                "{} works in {} from {} for {}",
                place.agentId(),
                fresh.container().name(),
                fresh.image(),
                fresh.phase());
        if (old != null) {
            discard(old);
        }
    }

    /** What cannot be removed now is removed at the end, or by the sweep of the next start. */
    private void discard(Seat seat) {
        // Here: another thread does the rest, and does not have the lock.
        Engine engine = engine();
        Uninterrupted.run(() -> {
            try {
                seat.retire();
            } catch (RuntimeException e) {
                LOG.warn(
                        "commands in {} could not be ended: {}",
                        seat.container().name(),
                        e.getMessage());
            }
            try {
                engine.remove(seat.container());
            } catch (RuntimeException e) {
                LOG.warn("{} could not be removed yet: {}", seat.container().name(), e.getMessage());
            }
        });
    }

    private Seat seat() {
        Seat seat = current;
        if (seat == null) {
            throw new ExecException(
                    "the environment of " + place.agentId() + (isClosed() ? " is closed" : " has entered no phase yet"),
                    null);
        }
        return seat;
    }

    private boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    private Optional<String> replaceIfLost(Seat seat) {
        lock.lock();
        try {
            if (closed || engine().isRunning(seat.container())) {
                return Optional.empty();
            }
            String lost = lostMessage(seat);
            Seat known = current;
            if (known == null || known == seat) {
                LOG.warn("{}; a new one is started", lost);
                move(opened(seat.phase()));
            }
            return Optional.of(
                    lost + "; a new one runs now, from " + requireNow().image()
                            + ": the workspace is as it was, what was installed or running in the old one is lost");
        } finally {
            lock.unlock();
        }
    }

    private String lostMessage(Seat seat) {
        String name = seat.container().name();
        String state = engine().cli()
                .run(
                        "inspect",
                        "--type",
                        "container",
                        "--format",
                        "{{.State.OOMKilled}} {{.State.ExitCode}}",
                        seat.container().id())
                .stdout()
                .text()
                .strip();
        if (state.isEmpty()) {
            return "the container " + name + " was removed by somebody";
        }
        return state.startsWith("true")
                ? "the container " + name + " ran out of memory"
                : "the container " + name + " has ended with exit code " + state.substring(state.indexOf(' ') + 1);
    }

    @Override
    public ImageCheck check(String image) {
        return new ImageChecks(this).check(image);
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
    public <T> T throwaway(Phase phase, String image, boolean network, Function<Rooms.Room, T> use) {
        Container container = engine().start(place.agentId(), site().specs().test(phase, image, network));
        try {
            Rooms.Room room = site().rooms().open(container, phase);
            try {
                return use.apply(room);
            } finally {
                room.closing().run();
            }
        } finally {
            engine().remove(container);
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new MaestroException("the environment of " + place.agentId() + " is closed");
        }
    }

    private Seat requireSeat() {
        requireOpen();
        return seat();
    }

    private Now requireNow() {
        return now().orElseThrow();
    }

    /** An interrupted thread starts nothing any more; what failed may only have been cancelled. */
    private static void requireNoInterrupt(DockerException e) {
        if (Thread.currentThread().isInterrupted()) {
            throw e;
        }
    }

    @Override
    public void close() {
        Uninterrupted.run(() -> {
            lock.lock();
            try {
                if (!closed) {
                    Site known = site;
                    if (known != null) {
                        end(known);
                    }
                }
            } finally {
                closed = true;
                onClose.accept(this);
                lock.unlock();
            }
        });
    }

    /** Every step is tried, whatever became of those before. */
    private void end(Site known) {
        Failures failures = new Failures();
        Seat seat = current;
        current = null;
        if (seat != null) {
            failures.attempt(seat::retire);
        }
        failures.attempt(known.services()::end);
        List<Container> containers = new ArrayList<>();
        failures.attempt(() -> known.engine().containers().stream()
                .filter(container -> container.agentId().equals(place.agentId()))
                .forEach(containers::add));
        if (containers.isEmpty() && seat != null) {
            containers.add(seat.container());
        }
        containers.forEach(container -> failures.attempt(() -> known.engine().remove(container)));
        failures.attempt(known.services()::close);
        String story = place.storyId();
        if (story != null) {
            failures.attempt(() -> images.removeUnpinned(known.engine(), story));
        }
        failures.throwFirst();
    }
}
