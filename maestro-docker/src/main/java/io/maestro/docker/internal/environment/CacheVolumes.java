package io.maestro.docker.internal.environment;

import io.maestro.docker.DockerException;
import io.maestro.docker.Mount;
import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.Labels;
import io.maestro.docker.internal.Volume;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where an agent keeps what it has fetched over stories, one volume for each cache: the project's, and one agent's only, as who
 * may write to the cache of another decides what the other runs. For the same reason nothing that is judged has them. They
 * outlast the lives of their project. Safe for use by several threads.
 */
public final class CacheVolumes {
    private static final String ROLE = "cache";

    private static final Logger LOG = LoggerFactory.getLogger(CacheVolumes.class);

    private final Engine engine;
    private final String agentId;
    private final String user;
    private final Map<String, String> caches;
    private final Supplier<String> image;
    private final Keep keep;
    private final ReentrantLock lock = new ReentrantLock();
    private final Set<String> owned = new HashSet<>();

    /**
     * Which of them are used on.
     *
     * @param since which were made since then
     * @param kibibytes which hold no more; 0 for any
     */
    public record Keep(Instant since, long kibibytes) {
        /** All. */
        public static final Keep ALL = new Keep(Instant.MIN, 0);
    }

    /**
     * Nothing is made yet.
     *
     * @param user as whom commands run
     * @param caches paths by names
     * @param image the id of an image that is trusted, with {@code sh}, {@code stat}, {@code chown}, {@code timeout} and {@code du}
     * @param keep what begins anew, unless a container has it
     */
    public CacheVolumes(
            Engine engine, String agentId, String user, Map<String, String> caches, Supplier<String> image, Keep keep) {
        this.keep = keep;
        this.engine = engine;
        this.agentId = agentId;
        this.user = user;
        this.caches = caches;
        this.image = image;
    }

    /** Whether something with these labels is such a volume, which no sweep removes. */
    public static boolean isOne(Map<String, String> labels) {
        return ROLE.equals(labels.get(Labels.KEEP)) && ROLE.equals(labels.get(Labels.ROLE));
    }

    private String volume(String cache) {
        return engine.instance().lastingName(agentId, ROLE + "-" + cache);
    }

    /**
     * Makes sure that they are there and belong to the user.
     *
     * @throws DockerException when a volume of such a name is somebody else's, or it cannot be made
     */
    public void prepare() {
        lock.lock();
        try {
            caches.keySet().forEach(cache -> prepare(volume(cache)));
        } finally {
            lock.unlock();
        }
    }

    private void prepare(String name) {
        Optional<Volume> found = engine.volume(name);
        found.ifPresent(this::requireOurs);
        if (found.isPresent() && !user.equals(found.get().labels().get(Labels.OWNER))) {
            engine.removeVolume(name);
            found = Optional.empty();
        }
        if (found.isPresent() && found.get().created().isBefore(keep.since()) && !isUsed(name)) {
            engine.removeVolume(name);
            found = Optional.empty();
        }
        if (found.isEmpty()) {
            create(name);
        }
        if (owned.add(name)) {
            boolean done = false;
            try {
                give(name);
                done = true;
            } finally {
                if (!done) {
                    owned.remove(name);
                }
            }
        }
    }

    private void create(String name) {
        owned.remove(name);
        requireOurs(engine.createVolume(name, agentId, ROLE, Map.of(Labels.KEEP, ROLE, Labels.OWNER, user)));
    }

    private void give(String name) {
        if (VolumeOwner.giveIfAtMost(keep.kibibytes(), engine, agentId, ROLE, name, user, image.get())
                || isUsed(name)) {
            return;
        }
        LOG.info("the cache {} holds more than {} KiB and begins anew", name, keep.kibibytes());
        engine.removeVolume(name);
        create(name);
        VolumeOwner.give(engine, agentId, ROLE, name, user, image.get());
    }

    private boolean isUsed(String name) {
        return !engine.cli()
                .output("ps", "--all", "--quiet", "--filter", "volume=" + name)
                .isBlank();
    }

    private void requireOurs(Volume volume) {
        boolean ours = engine.instance().id().equals(volume.labels().get(Labels.INSTANCE))
                && agentId.equals(volume.labels().get(Labels.AGENT))
                && isOne(volume.labels());
        if (!ours) {
            throw new DockerException(
                    "the volume " + volume.name() + " on " + engine.cli().host().name()
                            + " is not a cache of " + agentId
                            + " of this project, so it is not used; remove it, or give the cache another name",
                    null);
        }
    }

    /** As containers mount them. */
    public List<Mount> mounts() {
        return caches.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(cache -> Mount.volume(volume(cache.getKey()), cache.getValue()))
                .toList();
    }
}
