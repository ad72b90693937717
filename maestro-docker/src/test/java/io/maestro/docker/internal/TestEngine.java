package io.maestro.docker.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.maestro.docker.DockerHost;
import io.maestro.exec.ExecResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** An instance of its own on a real engine, of which nothing is left when it is closed. */
public final class TestEngine implements AutoCloseable {
    /** Which engine. */
    public enum Kind {
        DOCKER("docker"),
        PODMAN("podman");

        private final String program;

        Kind(String program) {
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
            if (!isThere(cli)) {
                assertThat(required)
                        .as("%s is required and does not answer", program)
                        .isFalse();
                assumeTrue(false, "no " + program + " here");
            }
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

    public final Kind kind;
    public final Engine engine;
    private final List<Path> directories = new ArrayList<>();

    private TestEngine(Kind kind, Engine engine) {
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
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("not within 60 s");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
    }

    /** Everything with the instance's label, without the code under test. */
    @Override
    public void close() {
        DockerCli cli = engine.cli();
        String filter = "label=" + Labels.INSTANCE + "=" + engine.instance().id();
        each("rm", List.of("--force", "--volumes"), cli.output("ps", "-aq", "--no-trunc", "--filter", filter));
        each("volume", List.of("rm", "--force"), cli.output("volume", "ls", "-q", "--filter", filter));
        each("network", List.of("rm"), cli.output("network", "ls", "-q", "--filter", filter));
        each("rmi", List.of("--force"), images(cli, filter.replace(Labels.INSTANCE, Labels.BUILT_BY)));
        directories.forEach(TestEngine::delete);
    }

    /** Podman's list fails when another test removes an image meanwhile. */
    private static String images(DockerCli cli, String filter) {
        AtomicReference<String> listed = new AtomicReference<>("");
        await(() -> {
            ExecResult result = cli.run("image", "ls", "-q", "--no-trunc", "--filter", filter);
            listed.set(result.stdout().text());
            return result.succeeded();
        });
        return listed.get();
    }

    private void each(String command, List<String> options, String lines) {
        lines.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .distinct()
                .forEach(id -> {
                    List<String> words = new ArrayList<>(List.of(command));
                    words.addAll(options);
                    words.add(id);
                    engine.cli().run(words.toArray(String[]::new));
                });
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
