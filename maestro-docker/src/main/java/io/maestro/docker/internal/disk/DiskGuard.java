package io.maestro.docker.internal.disk;

import io.maestro.docker.DockerException;
import io.maestro.docker.internal.DiskUse;
import io.maestro.error.RetriableException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who watches what an attempt holds on disks, from its first command on, and what the agent is told of it. Nobody waits for
 * another here. Safe for use by several threads.
 */
public final class DiskGuard implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DiskGuard.class);

    private final Supplier<Disks> disks;
    private final Consumer<String> renew;
    private final Consumer<String> end;
    private final AtomicReference<@Nullable DiskWatch> watch = new AtomicReference<>();

    /** What the agent is told with the next answer. */
    private final AtomicReference<@Nullable String> news = new AtomicReference<>();

    /** Why nothing runs here any more. */
    private volatile @Nullable String full;

    private volatile boolean closed;

    /**
     * Watches nothing yet.
     *
     * @param disks asked for with the first command
     * @param renew is told why all containers are to be made anew
     * @param end is told why none is to run any more
     */
    public DiskGuard(Supplier<Disks> disks, Consumer<String> renew, Consumer<String> end) {
        this.disks = disks;
        this.renew = renew;
        this.end = end;
    }

    /** A command begins. */
    public void begin() {
        if (!closed) {
            watch().begin();
        }
    }

    /** It has ended; without this it counts as running. */
    public void ended() {
        DiskWatch known = watch.get();
        if (known != null) {
            known.ended();
        }
    }

    private DiskWatch watch() {
        DiskWatch known = watch.get();
        if (known != null) {
            return known;
        }
        DiskWatch made = new DiskWatch(disks.get(), renew, end);
        DiskWatch other = watch.compareAndExchange(null, made);
        return other == null ? made : other;
    }

    /** Something for which commands run that the agent does not give. */
    public <T> T within(Supplier<T> work) {
        requireRoom();
        begin();
        try {
            return work.get();
        } finally {
            ended();
        }
    }

    /** What the agent is to be told. */
    public void tell(String text) {
        news.set(text);
    }

    /** What the agent was not told yet; null for nothing. */
    public @Nullable String takeNews() {
        return news.getAndSet(null);
    }

    /** From now on nothing runs here. */
    public void isFull(String why) {
        full = why;
        tell(why + "; nothing runs here any more");
    }

    /** Why nothing runs here any more; empty while something may. */
    public Optional<String> full() {
        return Optional.ofNullable(full);
    }

    /**
     * Checks that something may run here.
     *
     * @throws DockerException when nothing runs here any more
     */
    public void requireRoom() {
        String why = full;
        if (why != null) {
            throw new DockerException(why, null);
        }
    }

    /**
     * Checks that an attempt may begin.
     *
     * @throws RetriableException while less than the reserve is free
     */
    public void requireReserve() {
        Disks found = disks.get();
        long free;
        try {
            free = found.free().getAsLong();
        } catch (UncheckedIOException e) {
            LOG.warn("the attempt begins all the same: {}", e.getMessage());
            return;
        }
        if (free < found.limits().reserve()) {
            throw new RetriableException(
                    "the attempt does not begin: only " + DiskUse.megabytes(free)
                            + " are free on the disk of the project or of the engine, "
                            + DiskUse.megabytes(found.limits().reserve())
                            + " are kept (container.disk_reserve_mb); make room, or lower it",
                    null,
                    null);
        }
    }

    @Override
    public void close() {
        closed = true;
        DiskWatch known = watch.get();
        if (known != null) {
            known.close();
        }
    }
}
