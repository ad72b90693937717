package io.maestro.docker.internal;

import io.maestro.docker.ContainerLimits;
import io.maestro.docker.ContainerSpec;
import io.maestro.docker.ImageBuildException;
import io.maestro.error.MaestroException;
import io.maestro.exec.ExecResult;
import io.maestro.internal.Threads;
import io.maestro.internal.Uninterrupted;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Ends a build that writes too much. No builder knows such a limit, so what is free on the engine's disk is asked for: here, or
 * in a container of Maestro's that shares no limit with the build. What others write meanwhile counts, too.
 */
final class BuildDisk {
    private static final String AGENT = "builds";
    private static final String ROLE = "build-disk";
    private static final ContainerLimits FEW = new ContainerLimits(0.5, 64L << 20, 16);
    private static final int FAILURES = 3;

    private final Engine engine;
    private final BuildConfinement confinement;

    BuildDisk(Engine engine, BuildConfinement confinement) {
        this.engine = engine;
        this.confinement = confinement;
    }

    /**
     * Runs a build on the calling thread.
     *
     * @throws ImageBuildException when the disk has too little room, before or while it is built
     */
    <T> T watch(Supplier<T> build) {
        Optional<Path> storage = engine.facts().storage();
        return storage.isPresent() ? watched(() -> free(storage.get()), build) : watchedFromContainer(build);
    }

    /** Where the engine's disk cannot be seen from here. */
    <T> T watchedFromContainer(Supplier<T> build) {
        Container container = engine.start(
                AGENT,
                ContainerSpec.builder(confinement.limiter().get(), ROLE)
                        .limits(FEW)
                        .network("none")
                        .build());
        try {
            return watched(() -> free(container), build);
        } finally {
            Uninterrupted.run(() -> engine.remove(container));
        }
    }

    private <T> T watched(Supplier<OptionalLong> measure, Supplier<T> build) {
        long begin = measure.get()
                .orElseThrow(() -> new ImageBuildException(
                        "the build was not begun: how much is free on the engine's disk cannot be measured; see whether the"
                                + " engine is well",
                        "",
                        null));
        AtomicReference<@Nullable String> problem = new AtomicReference<>(problem(begin, begin));
        refuse(problem, null);
        CountDownLatch over = new CountDownLatch(1);
        Thread builder = Thread.currentThread();
        FutureTask<Boolean> watch = new FutureTask<>(() -> {
            int failures = 0;
            while (!over.await(1, TimeUnit.SECONDS)) {
                OptionalLong free = measure.get();
                failures = free.isPresent() ? 0 : failures + 1;
                String found = failures == FAILURES
                        ? "how much it writes cannot be measured any more; see whether the engine is well"
                        : problem(begin, free.orElse(begin));
                if (found != null && over.getCount() > 0) {
                    problem.set(found);
                    builder.interrupt();
                    return false;
                }
            }
            return true;
        });
        Threads.newWaitingFactory("maestro-build-disk").newThread(watch).start();
        try {
            T built = build.get();
            end(over, watch, problem);
            refuse(problem, null);
            return built;
        } catch (RuntimeException e) {
            end(over, watch, problem);
            refuse(problem, e);
            throw e;
        }
    }

    private static void end(CountDownLatch over, FutureTask<Boolean> watch, AtomicReference<@Nullable String> problem) {
        over.countDown();
        boolean unused = Uninterrupted.isEnded(watch, Duration.ofMinutes(2));
        if (problem.get() != null) {
            // It was the watch's, and has done its work.
            boolean unusedFlag = Thread.interrupted();
        }
    }

    private static void refuse(AtomicReference<@Nullable String> problem, @Nullable RuntimeException cause) {
        String why = problem.get();
        if (why != null) {
            throw new ImageBuildException("the build was ended: " + why, "", cause);
        }
    }

    private @Nullable String problem(long begin, long free) {
        if (begin - free > confinement.disk()) {
            return "it has written more than " + DiskUse.megabytes(confinement.disk())
                    + " to the engine's disk (container.disk_mb); write less, or have a person raise the limit";
        }
        if (free < confinement.reserve()) {
            return "only " + DiskUse.megabytes(free) + " are free on the engine's disk, "
                    + DiskUse.megabytes(confinement.reserve())
                    + " are kept (container.disk_reserve_mb); have a person make room";
        }
        return null;
    }

    private static OptionalLong free(Path storage) {
        try {
            return OptionalLong.of(Files.getFileStore(storage).getUsableSpace());
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }

    /** What is free where containers write, as a file system without a mount of its own shows it. */
    private OptionalLong free(Container container) {
        ExecResult result;
        try {
            result = engine.cli().run("exec", container.id(), "df", "-Pk", "/");
        } catch (MaestroException e) {
            return OptionalLong.empty();
        }
        for (String line : result.stdout().text().lines().toList()) {
            String[] parts = line.strip().split("\\s+", -1);
            if (parts.length == 6 && parts[3].matches("\\d{1,15}")) {
                return OptionalLong.of(Long.parseLong(parts[3]) << 10);
            }
        }
        return OptionalLong.empty();
    }
}
