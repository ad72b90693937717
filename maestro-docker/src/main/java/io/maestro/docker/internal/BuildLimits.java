package io.maestro.docker.internal;

import io.maestro.docker.ContainerLimits;
import io.maestro.docker.ContainerSpec;
import io.maestro.docker.ImageBuild;
import io.maestro.docker.ImageBuildException;
import io.maestro.docker.internal.BuilderProgram.Way;
import io.maestro.internal.Threads;
import io.maestro.internal.Uninterrupted;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds commands of builds within limits. Builders know no limits for all of a build, or none at all; but each puts its commands
 * into a control group below one that is named, and what a container may take holds for all below its own. So a container that
 * does nothing runs as long as the build. The kernel may end it instead of a command that takes all memory, and what begins after
 * that has no limits: so the build ends with it. Whether an engine holds limits is tried, once for its version. Safe for use by
 * several threads.
 */
final class BuildLimits {
    private static final Logger LOG = LoggerFactory.getLogger(BuildLimits.class);
    private static final String AGENT = "builds";

    /** Of the container. */
    static final String ROLE = "build-limits";

    private static final Duration TRIAL = Duration.ofMinutes(2);
    private static final Duration LONGEST = Duration.ofDays(7);
    private static final int FEW = 20;

    /** Succeeds where no more than a few processes can be had, and only there. */
    private static final String TRIED = "i=0; while [ $i -lt " + 3 * FEW + " ]; do sleep 9 & i=$((i+1)); done; exit 0";

    private final Engine engine;
    private final AtomicReference<@Nullable Way> known = new AtomicReference<>();

    BuildLimits(Engine engine) {
        this.engine = engine;
    }

    /**
     * A builder that holds limits.
     *
     * @return {@link Way#UNLIMITED} where there is none, and they are not required
     * @throws IllegalArgumentException when there is none, and they are; the message is for a person
     */
    Way way(BuildConfinement confinement) {
        Way way = confinement.options().controlGroup().isPresent()
                ? BuilderProgram.ways(engine).get(0)
                : tried(confinement);
        if (way == Way.UNLIMITED && confinement.options().limitsRequired()) {
            throw new IllegalArgumentException("is not built: no builder of the engine "
                    + engine.cli().host().name() + " holds limits of memory, processes and CPU; a person can name a"
                    + " control group with limits by container.build_cgroup, or allow builds without limits by"
                    + " container.build_limits: optional");
        }
        return way;
    }

    /** Runs a build with the options that hold its commands within limits. */
    <T> T within(Way way, BuildConfinement confinement, Function<List<String>, T> build) {
        if (confinement.options().controlGroup().isPresent()) {
            return build.apply(options(
                    way,
                    confinement.limits(),
                    confinement.options().controlGroup().get()));
        }
        if (way == Way.UNLIMITED) {
            LOG.warn("a build on {} has no limits", engine.cli().host().name());
            return build.apply(List.of());
        }
        return grouped(
                confinement, confinement.limits(), group -> build.apply(options(way, confinement.limits(), group)));
    }

    private <T> T grouped(BuildConfinement confinement, ContainerLimits limits, Function<String, T> use) {
        Container container = engine.start(
                AGENT,
                ContainerSpec.builder(confinement.limiter().get(), ROLE)
                        .limits(limits)
                        .network("none")
                        .build());
        try {
            return watched(container, () -> use.apply(group(container)));
        } finally {
            engine.remove(container);
        }
    }

    /** Runs a build on the calling thread, and ends it when its container ends. */
    private <T> T watched(Container container, Supplier<T> build) {
        AtomicReference<WatchState> state = new AtomicReference<>(WatchState.RUNS);
        Thread builder = Thread.currentThread();
        FutureTask<Boolean> watch = new FutureTask<>(() -> {
            try {
                engine.cli()
                        .run(engine.cli()
                                .command(List.of("wait", container.id()))
                                .timeLimit(LONGEST)
                                .build());
            } finally {
                if (state.compareAndSet(WatchState.RUNS, WatchState.LOST)) {
                    builder.interrupt();
                }
            }
            return true;
        });
        Threads.newWaitingFactory("maestro-build-limits").newThread(watch).start();
        RuntimeException cause = null;
        try {
            T built = build.get();
            if (state.compareAndSet(WatchState.RUNS, WatchState.OVER)) {
                return built;
            }
        } catch (RuntimeException e) {
            if (state.compareAndSet(WatchState.RUNS, WatchState.OVER)) {
                throw e;
            }
            cause = e;
        } finally {
            if (state.get() == WatchState.OVER) {
                watch.cancel(true);
            }
        }
        boolean unused = Uninterrupted.isEnded(watch, Duration.ofMinutes(2));
        // It was the watch's, and has done its work.
        boolean unusedFlag = Thread.interrupted();
        throw new ImageBuildException(
                "the build was ended: what holds its limits has ended, mostly because the memory was used up"
                        + " (build.memory_mb); take less, or have a person raise the limit",
                "",
                cause);
    }

    private enum WatchState {
        RUNS,
        OVER,
        LOST
    }

    /** Where the engine puts a container; below that of podman nothing else may lie beside its own groups. */
    private String group(Container container) {
        if (engine.facts().podman()) {
            return engine.cli().output("container", "inspect", "--format", "{{.State.CgroupPath}}", container.id())
                    + "/build";
        }
        return engine.facts().systemd()
                ? "/system.slice/docker-" + container.id() + ".scope"
                : "/docker/" + container.id();
    }

    private static List<String> options(Way way, ContainerLimits limits, String group) {
        List<String> words = new ArrayList<>(List.of("--cgroup-parent", group));
        if (way == Way.CLASSIC || way == Way.PODMAN) {
            String memory = Long.toString(limits.memoryBytes());
            words.addAll(List.of("--memory", memory, "--memory-swap", memory, "--cpu-period", "100000"));
            words.addAll(List.of("--cpu-quota", Long.toString(Math.max(1000, Math.round(limits.cpus() * 100_000)))));
        }
        return words;
    }

    private Way tried(BuildConfinement confinement) {
        Way way = known.get();
        if (way == null) {
            way = BuilderProgram.ways(engine).stream()
                    .filter(each -> holds(each, confinement))
                    .findFirst()
                    .orElse(Way.UNLIMITED);
            known.set(way);
        }
        return way;
    }

    /** An image that could only be built within limits is kept: it says to all later lives that they hold here. */
    private boolean holds(Way way, BuildConfinement confinement) {
        EngineFacts facts = engine.facts();
        String tag = "maestro-limits:"
                + ContentHash.of(facts.version(), facts.cgroupVersion(), facts.systemd() + "", way.name(), TRIED);
        if (engine.image(tag).isPresent()) {
            return true;
        }
        ContainerLimits few = new ContainerLimits(1, 64L << 20, FEW);
        try (BaseNames names = new BaseNames(engine)) {
            String base = names.of(confinement.limiter().get()).name();
            return grouped(
                    confinement,
                    few,
                    group -> BuildDirectory.use(engine.cli().directory(), directory -> {
                        Files.writeString(
                                directory.resolve("Dockerfile"),
                                "FROM " + base + "\nARG TRIAL\nRUN "
                                        + Json.write(List.of("sh", "-c", "sh -c '" + TRIED + "' && exit 1; exit 0"))
                                        + "\n");
                        ImageBuild build = ImageBuild.builder(directory)
                                .tag(tag)
                                .argument("TRIAL", Instance.newId())
                                .network(false)
                                .timeLimit(TRIAL)
                                .build();
                        engine.builder().buildShared(build, "limits", way, options(way, few, group));
                        return true;
                    }));
        } catch (ImageBuildException e) {
            if (Thread.currentThread().isInterrupted()) {
                throw e;
            }
            LOG.info(
                    "builds by {} on {} do not hold limits: {}",
                    way,
                    engine.cli().host().name(),
                    e.getMessage());
            return false;
        }
    }
}
