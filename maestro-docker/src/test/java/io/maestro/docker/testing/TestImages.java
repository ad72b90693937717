package io.maestro.docker.testing;

import io.maestro.docker.DockerHost;
import io.maestro.docker.internal.DockerCli;
import io.maestro.exec.ExecResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

/** Images with faults, and a small base for the safe image. All carry one label, by which they are removed. */
public final class TestImages implements AutoCloseable {
    private static final String LABEL = "io.maestro.test";

    private final DockerCli cli;
    private final String mark = UUID.randomUUID().toString().substring(0, 8);
    private final String busybox;

    private TestImages(DockerHost host, String busybox) {
        this.cli = new DockerCli(host);
        this.busybox = busybox;
    }

    public static TestImages ofDocker() {
        return new TestImages(DockerHost.local(), "maestro-test/busybox:latest");
    }

    public static TestImages ofPodman() {
        return new TestImages(DockerHost.builder().program("podman").build(), "localhost/maestro-test/busybox:latest");
    }

    /** The client that made them. */
    public DockerCli cli() {
        return cli;
    }

    public String busybox() {
        return busybox;
    }

    /** Has what the safe image needs to have, as stubs. */
    public String base() {
        StringBuilder dockerfile = new StringBuilder("FROM " + busybox + "\n");
        for (String program : List.of("git", "curl", "make", "cc")) {
            dockerfile.append("COPY --chmod=755 stub /bin/").append(program).append('\n');
        }
        return build("base", dockerfile.toString(), Map.of("stub", "#!/bin/sh\necho stub\n"));
    }

    /** Has what the safe image needs to have, git and tar for real, the rest as stubs. */
    public String baseWithGit() {
        try {
            GitImage.require();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        return build(
                "base-git",
                "FROM " + GitImage.NAME + "\nCOPY --chmod=755 stub /bin/curl\nCOPY --chmod=755 stub /bin/make\n"
                        + "COPY --chmod=755 stub /bin/cc\n",
                Map.of("stub", "#!/bin/sh\necho stub\n"));
    }

    /** One static program and nothing else. */
    public String withoutShell() {
        return build(
                "noshell", "FROM " + busybox + " AS b\nFROM scratch\nCOPY --from=b /bin/busybox /program\n", Map.of());
    }

    /** Whatever is run by its shell ends at once. */
    public String endsAtOnce() {
        return build(
                "ends",
                "FROM " + busybox
                        + "\nCOPY --chmod=755 sh /bin/sh2\nRUN [\"/bin/busybox\",\"mv\",\"/bin/sh2\",\"/bin/sh\"]\n",
                Map.of("sh", "#!/bin/busybox true\n"));
    }

    /** Its shell, and all that it starts, ignores TERM. */
    public String unstoppable() {
        return build(
                "unstoppable",
                "FROM " + busybox
                        + "\nCOPY --chmod=755 sh /bin/sh2\nRUN [\"/bin/busybox\",\"mv\",\"/bin/sh2\",\"/bin/sh\"]\n",
                Map.of("sh", "#!/bin/busybox ash\ntrap '' TERM INT\nexec /bin/busybox ash \"$@\"\n"));
    }

    /** Works, and can be told from others. */
    public String good(String name) {
        return build(name, "FROM " + busybox + "\nENV IMAGE_NAME=" + name + "\n", Map.of());
    }

    /** Builds from a Dockerfile; returns the name. */
    public String build(String name, String dockerfile, Map<String, String> files) {
        String tag = "maestro-test/" + name + "-" + mark + ":1";
        try {
            Path directory = Files.createTempDirectory("maestro-test-image-");
            try {
                Files.writeString(directory.resolve("Dockerfile"), dockerfile);
                for (Map.Entry<String, String> file : files.entrySet()) {
                    Files.writeString(directory.resolve(file.getKey()), file.getValue());
                }
                ExecResult built = cli.run(cli.command(List.of(
                                "build", "--quiet", "--label", LABEL + "=" + mark, "--tag", tag, directory.toString()))
                        .timeLimit(Duration.ofMinutes(5))
                        .build());
                if (!built.succeeded()) {
                    throw new AssertionError(
                            built.stdout().text() + built.stderr().text());
                }
            } finally {
                delete(directory);
            }
            return tag;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Removes an image with all that was built on it. */
    public void remove(String image) {
        cli.run("rmi", "--force", image);
    }

    @Override
    public void close() {
        cli.output("image", "ls", "--quiet", "--no-trunc", "--filter", "label=" + LABEL + "=" + mark)
                .lines()
                .distinct()
                .forEach(id -> cli.run("rmi", "--force", id));
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }
}
