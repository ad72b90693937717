package io.maestro.docker.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.maestro.docker.DockerHost;
import io.maestro.docker.testing.Leavings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** An instance of its own on a real engine, of which nothing is left when it is closed. */
public final class TestEngine implements AutoCloseable {
    /** Which engine. */
    public enum EngineKind {
        DOCKER("docker"),
        PODMAN("podman");

        private final String program;

        EngineKind(String program) {
            this.program = program;
        }

        public DockerHost host() {
            return DockerHost.builder().program(program).build();
        }

        public String busybox() {
            return (this == PODMAN ? "localhost/" : "") + "maestro-test/busybox:latest";
        }

        public String debian() {
            return (this == PODMAN ? "localhost/" : "") + "maestro-test/debian:latest";
        }

        /** An instance nobody else has. */
        public TestEngine open() {
            return open(new Instance(Instance.newId(), Instance.newId(), Path.of("/nonexistent/project")));
        }

        public TestEngine open(Instance instance) {
            DockerCli cli = new DockerCli(host());
            boolean required = Boolean.getBoolean("maestro.docker.required");
            if (!THERE.contains(this) && !isThere(cli)) {
                assertThat(required)
                        .as("%s is required and does not answer", program)
                        .isFalse();
                assumeTrue(false, "no " + program + " here");
            }
            THERE.add(this);
            return new TestEngine(this, new Engine(cli, instance));
        }

        private static boolean isThere(DockerCli cli) {
            try {
                return cli.run("version").succeeded();
            } catch (RuntimeException e) {
                return false;
            }
        }
    }

    /** Engines that have answered once. */
    private static final Set<EngineKind> THERE = ConcurrentHashMap.newKeySet();

    public final EngineKind kind;
    public final Engine engine;
    private final List<Path> directories = new ArrayList<>();

    private TestEngine(EngineKind kind, Engine engine) {
        this.kind = kind;
        this.engine = engine;
    }

    /** A directory that containers can mount. */
    public Path directory(String name) {
        try {
            Path parent = Files.createTempDirectory("maestro-test-");
            directories.add(parent);
            return Files.createDirectory(parent.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Gives a directory to somebody; only root can. */
    public static void chown(Path path, int user, int group) {
        try {
            Files.setAttribute(path, "unix:uid", user);
            Files.setAttribute(path, "unix:gid", group);
        } catch (IOException e) {
            assumeTrue(false, "only root can give files away: " + e);
        }
    }

    /** Polls; a machine under load may take long. */
    public static void await(BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("not within 3 minutes");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
    }

    /** Everything with the instance's label, without the code under test. */
    @Override
    public void close() {
        Leavings.remove(engine.cli(), engine.instance().id());
        directories.forEach(TestEngine::delete);
    }

    private static void delete(Path path) {
        try (var files = Files.walk(path)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
