package io.maestro.docker.internal.disk;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.internal.DiskUse.Usage;
import io.maestro.docker.internal.TestEngine;
import io.maestro.error.RetriableException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** On a disk that is only told, and that a process fills as fast as none does. */
class DiskWatchTest {
    private static final long MB = 1 << 20;
    private static final DiskLimits LIMITS = new DiskLimits(20_480 * MB, 1024 * MB);

    private final AtomicLong free = new AtomicLong();
    private final AtomicInteger looks = new AtomicInteger();
    private volatile boolean paused;
    private final List<String> done = new CopyOnWriteArrayList<>();
    private final AtomicInteger failures = new AtomicInteger();

    private Disks disks() {
        return new Disks(
                LIMITS,
                () -> {
                    if (paused) {
                        done.add("measured");
                    }
                    return Optional.of(new Usage(0, free.get() <= 100 * MB ? 200 * MB : 0, 0));
                },
                () -> {
                    looks.incrementAndGet();
                    return free.get();
                },
                () -> {
                    paused = true;
                    done.add("paused");
                },
                () -> {
                    if (failures.getAndDecrement() > 0) {
                        throw new IllegalStateException("not now");
                    }
                    if (paused) {
                        paused = false;
                        done.add("resumed");
                    }
                });
    }

    @Test
    void anAttemptBeginsWithTheReserveFreeOnly() {
        Disks disks = disks();
        try (DiskGuard guard = new DiskGuard(() -> disks, done::add, done::add)) {
            free.set(1024 * MB - 1);
            assertThatThrownBy(guard::requireReserve)
                    .isInstanceOf(RetriableException.class)
                    .hasMessageContaining("the attempt does not begin: only 1024 MB are free")
                    .hasMessageContaining("container.disk_reserve_mb");
            free.set(1024 * MB);
            guard.requireReserve();
        }
    }

    @Test
    void nothingRunsWhileAFallingReserveIsLookedAt() {
        free.set(1100 * MB);
        failures.set(2);
        try (DiskWatch watch = new DiskWatch(disks(), why -> done.add("renewed"), why -> done.add("ended"))) {
            watch.begin();
            TestEngine.await(() -> looks.get() > 0);
            fall(500);
            assertThat(done).containsExactly("paused", "measured", "resumed");
            done.clear();
            // It falls on, but what this attempt holds does not grow.
            fall(300);
            assertThat(done).containsExactly("paused", "measured", "resumed");
            done.clear();
            fall(100);
            assertThat(done).containsExactly("paused", "measured", "renewed", "resumed");
        }
    }

    private void fall(long megabytes) {
        free.set(megabytes * MB);
        TestEngine.await(() -> done.contains("resumed"));
    }
}
