package io.maestro.docker.internal.sandbox;

import io.maestro.docker.internal.Container;
import io.maestro.docker.internal.DiskUse;
import io.maestro.docker.internal.Engine;
import io.maestro.error.MaestroException;
import io.maestro.exec.ExecResult;
import io.maestro.internal.Threads;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends containers that have written too much beside what is mounted. The engine counts it: each minute, and as soon as the disk of an
 * engine on this machine has lost a part of that. Safe for use by several threads.
 */
final class LayerWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LayerWatch.class);
    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);
    private static final int PARTS = 16;

    private final Engine engine;
    private final long most;
    private final BiConsumer<String, String> ended;
    /** Of the thread. */
    private final Set<String> endedIds = new HashSet<>();

    private final AtomicBoolean begun = new AtomicBoolean();
    private final CountDownLatch closed = new CountDownLatch(1);

    /**
     * Watches nothing yet.
     *
     * @param most how many bytes a container may hold
     * @param ended is told the id of a container and why it was ended, before it is
     */
    LayerWatch(Engine engine, long most, BiConsumer<String, String> ended) {
        this.engine = engine;
        this.most = most;
        this.ended = ended;
    }

    /** There are containers; again is fine. */
    void begin() {
        if (begun.compareAndSet(false, true)) {
            Threads.newWaitingFactory("maestro-layers").newThread(this::watch).start();
        }
    }

    private void watch() {
        try {
            @Nullable FileStore store = store();
            long free = free(store);
            long measured = System.nanoTime();
            while (!closed.await(1, TimeUnit.SECONDS)) {
                long now = free(store);
                if (Math.abs(free - now) > most / PARTS || System.nanoTime() - measured > MINUTE) {
                    free = now;
                    look();
                    measured = System.nanoTime();
                }
            }
        } catch (InterruptedException e) {
            LOG.debug("closed");
        }
    }

    private @Nullable FileStore store() {
        try {
            Optional<Path> storage = engine.facts().storage();
            return storage.isPresent() ? Files.getFileStore(storage.get()) : null;
        } catch (IOException | MaestroException e) {
            LOG.debug("how much is free on the engine's disk is not known: {}", e.toString());
            return null;
        }
    }

    private static long free(@Nullable FileStore store) {
        try {
            return store == null ? 0 : store.getUsableSpace();
        } catch (IOException e) {
            return 0;
        }
    }

    private void look() {
        try {
            for (Container container : engine.containers()) {
                if (container.role().equals(Sandboxes.ROLE) && !endedIds.contains(container.id())) {
                    judge(container.id());
                }
            }
        } catch (RuntimeException e) {
            LOG.warn("what containers hold could not be measured, which is tried again: {}", e.toString());
        }
    }

    /** Each by itself: one with more files than anybody could count keeps nobody from counting the others'. */
    private void judge(String id) {
        ExecResult size = engine.cli()
                .run(engine.cli()
                        .command(List.of("container", "inspect", "--size", "--format", "{{.SizeRw}}", id))
                        .timeLimit(LIMIT)
                        .build());
        boolean endless = size.ending() == ExecResult.Ending.TIMED_OUT;
        String said = size.stdout().text().strip();
        long held = said.matches("\\d{1,18}") ? Long.parseLong(said) : 0;
        if (endless || held > most) {
            String why = "it was ended, since it held "
                    + (endless ? "more files than can be counted" : DiskUse.megabytes(held))
                    + " on the engine's disk, and no more than " + DiskUse.megabytes(most) + " may be; destroy it";
            LOG.warn("the container {}: {}", id, why);
            endedIds.add(id);
            ended.accept(id, why);
            ExecResult unused = engine.cli().run("kill", id);
        }
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
