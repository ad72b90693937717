package io.maestro.docker.internal.environment;

import io.maestro.docker.DockerException;
import io.maestro.docker.Mount;
import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.Labels;
import io.maestro.docker.internal.Volume;
import io.maestro.environment.Workplace;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The volume in which the programs of an attempt keep what must outlast its containers: whoever goes on with the attempt, in
 * this life of the project or a later one, finds it by its name, and knows by its labels whether it is this attempt's. Safe for
 * use by several threads.
 */
final class StateVolume {
    private static final Logger LOG = LoggerFactory.getLogger(StateVolume.class);

    private static final String ROLE = "state";

    private final Engine engine;
    private final Workplace place;
    private final String user;
    private final Supplier<String> image;
    private final String name;
    private final ReentrantLock lock = new ReentrantLock();
    private boolean owned;

    /**
     * Nothing is made yet.
     *
     * @param user as whom commands run
     * @param image the id of an image with {@code sh}, {@code stat} and {@code chown}
     */
    StateVolume(Engine engine, Workplace place, String user, Supplier<String> image) {
        this.engine = engine;
        this.place = place;
        this.user = user;
        this.image = image;
        this.name = name(engine, place.agentId());
    }

    private static String name(Engine engine, String agentId) {
        return engine.instance().lastingName(agentId, ROLE);
    }

    /** Whether something with these labels is such a volume. */
    static boolean isOne(Map<String, String> labels) {
        return ROLE.equals(labels.get(Labels.KEEP)) && ROLE.equals(labels.get(Labels.ROLE));
    }

    /**
     * Whether something with these labels is the volume of an attempt that may go on.
     *
     * @param openAttempts by the id of the story, the number of its attempt
     */
    static boolean isOfOneOf(Map<String, Integer> openAttempts, Map<String, String> labels) {
        Integer attempt = openAttempts.get(labels.getOrDefault(Labels.STORY, ""));
        return isOne(labels) && attempt != null && attempt.toString().equals(labels.get(Labels.ATTEMPT));
    }

    /**
     * Whether something with these labels is the volume of an agent that has a workspace. Which attempts of another project are
     * open nobody knows but that project; without its workspace an attempt cannot go on.
     */
    static boolean hasWorkspace(Map<String, String> labels) {
        return isOne(labels)
                && Files.isDirectory(
                        Path.of(labels.getOrDefault(Labels.PROJECT, ""), labels.getOrDefault(Labels.AGENT, "-")));
    }

    /** Whether an engine has what an earlier life of an attempt has kept. */
    static boolean isOn(Engine engine, Workplace place) {
        return engine.volume(name(engine, place.agentId()))
                .filter(volume -> isOurs(engine, volume) && isOne(volume.labels()) && isOf(place, volume))
                .isPresent();
    }

    /** Removes an attempt's; fine when there is none, or it belongs to another attempt or to somebody else. */
    static void remove(Engine engine, Workplace place) {
        if (isOn(engine, place)) {
            engine.removeVolume(name(engine, place.agentId()));
        }
    }

    private static boolean isOurs(Engine engine, Volume volume) {
        return engine.instance().id().equals(volume.labels().get(Labels.INSTANCE));
    }

    private static boolean isOf(Workplace place, Volume volume) {
        return Objects.equals(place.storyId(), volume.labels().get(Labels.STORY))
                && Integer.toString(place.attempt()).equals(volume.labels().get(Labels.ATTEMPT));
    }

    private boolean isThisOne(Volume volume) {
        Map<String, String> labels = volume.labels();
        return isOne(labels)
                && isOf(place, volume)
                && place.agentId().equals(labels.get(Labels.AGENT))
                && user.equals(labels.get(Labels.OWNER));
    }

    /**
     * Makes sure that it is there, is of this attempt, and belongs to the user.
     *
     * @throws DockerException when a volume of that name is somebody else's, or it cannot be made
     */
    void prepare() {
        lock.lock();
        try {
            Optional<Volume> found = engine.volume(name);
            found.ifPresent(this::requireOurs);
            if (found.filter(this::isThisOne).isEmpty()) {
                owned = false;
                if (found.isPresent()) {
                    LOG.info("{} is of an earlier attempt of {}; a new one is made", name, place.agentId());
                    engine.removeVolume(name);
                }
                Volume made = engine.createVolume(name, place.agentId(), ROLE, labels());
                requireOurs(made);
                if (!isThisOne(made)) {
                    throw new DockerException(
                            "the volume " + name + " was made by somebody else at the same time; try again", null);
                }
            }
            if (!owned) {
                VolumeOwner.give(engine, place.agentId(), ROLE, name, user, image.get());
                owned = true;
            }
        } finally {
            lock.unlock();
        }
    }

    private void requireOurs(Volume volume) {
        if (!isOurs(engine, volume)) {
            throw new DockerException(
                    "the volume " + name + " on " + engine.cli().host().name()
                            + " was not made by this instance, so it is not used; remove or rename it, "
                            + place.agentId() + " needs one of that name",
                    null);
        }
    }

    private Map<String, String> labels() {
        Map<String, String> labels = new LinkedHashMap<>();
        labels.put(Labels.KEEP, ROLE);
        labels.put(Labels.STORY, String.valueOf(place.storyId()));
        labels.put(Labels.ATTEMPT, Integer.toString(place.attempt()));
        labels.put(Labels.OWNER, user);
        return labels;
    }

    /** As containers mount it. */
    Mount mount(String target) {
        return Mount.volume(name, target);
    }
}
