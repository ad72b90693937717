package io.maestro.docker.internal;

import io.maestro.docker.DockerException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows which instance a project directory belongs to, and shows the others that it lives, until it is closed. Whoever opens
 * one holds the directory's lock. Safe for use by several threads.
 */
public final class InstanceRegistry implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(InstanceRegistry.class);
    private static final Duration BEAT = Duration.ofSeconds(10);

    private final Instance instance;
    private final ScheduledExecutorService heart;
    private final ScheduledFuture<?> beats;

    private InstanceRegistry(Instance instance, ProjectFiles files, Duration interval) {
        this.instance = instance;
        this.heart = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "maestro-heartbeat-" + instance.id());
            thread.setDaemon(true);
            return thread;
        });
        this.beats = heart.scheduleWithFixedDelay(
                () -> beat(files), interval.toMillis(), interval.toMillis(), TimeUnit.MILLISECONDS);
    }

    /**
     * Begins a new life of the instance of a project directory; its id is made the first time.
     *
     * @throws DockerException when the directory cannot be written
     */
    public static InstanceRegistry open(Path projectDirectory) {
        return open(projectDirectory, BEAT);
    }

    static InstanceRegistry open(Path projectDirectory, Duration interval) {
        ProjectFiles files = ProjectFiles.make(projectDirectory);
        Instance instance = new Instance(files.idOrNew(), Instance.newId(), files.project());
        try {
            files.beat();
        } catch (IOException e) {
            throw new DockerException("no sign of life can be written to " + files.project(), e);
        }
        return new InstanceRegistry(instance, files, interval);
    }

    private static void beat(ProjectFiles files) {
        try {
            files.beat();
        } catch (IOException | RuntimeException e) {
            // The lock still protects this instance; the next beat may succeed.
            LOG.warn("no sign of life can be written to {}: {}", files.project(), e.toString());
        }
    }

    /** The instance, in this life. */
    public Instance instance() {
        return instance;
    }

    /** Gives no more signs of life. A second call does nothing. */
    @Override
    public void close() {
        beats.cancel(false);
        heart.shutdown();
    }
}
