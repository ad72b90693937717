package io.maestro.docker.testing;

import io.maestro.docker.DockerHost;
import io.maestro.docker.internal.DockerCli;
import io.maestro.exec.ExecResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Images with faults, and a small base for the safe image. What an image is made of is in its name, so each is built once per
 * machine and stays there for the next run; nobody removes or changes one.
 */
public final class TestImages {
    private static final String LABEL = "io.maestro.test=true";

    /** What is there for certain, by program and name. */
    private static final Set<String> THERE = ConcurrentHashMap.newKeySet();

    private static final int LOOKS = 5;

    private final DockerCli cli;
    private final String busybox;
    private @Nullable String busyboxId;

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

    /** Builds from a Dockerfile, unless it is there; returns the name. */
    public String build(String name, String dockerfile, Map<String, String> files) {
        String tag = "maestro-test/" + name + ":" + hash(dockerfile, files);
        String program = cli.host().program();
        if (THERE.contains(program + tag)) {
            return tag;
        }
        if (id(tag).isEmpty()) {
            make(tag, dockerfile, files);
        }
        THERE.add(program + tag);
        return tag;
    }

    /** Podman does not find an image while another test removes a different one. */
    private Optional<String> id(String name) {
        for (int look = 0; look < LOOKS; look++) {
            ExecResult result = cli.run("image", "inspect", "--format", "{{.Id}}", name);
            if (result.succeeded()) {
                return Optional.of(result.stdout().text().strip());
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
        }
        return Optional.empty();
    }

    private synchronized String hash(String dockerfile, Map<String, String> files) {
        if (busyboxId == null) {
            busyboxId = id(busybox).orElseThrow(() -> new AssertionError("there is no image " + busybox));
        }
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update((busyboxId + dockerfile + new TreeMap<>(files)).getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest.digest(), 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    private void make(String tag, String dockerfile, Map<String, String> files) {
        try {
            Path directory = Files.createTempDirectory("maestro-test-image-");
            try {
                Files.writeString(directory.resolve("Dockerfile"), dockerfile);
                for (Map.Entry<String, String> file : files.entrySet()) {
                    Path path = directory.resolve(file.getKey());
                    Files.createDirectories(path.getParent());
                    Files.writeString(path, file.getValue());
                }
                ExecResult built = cli.run(
                        cli.command(List.of("build", "--quiet", "--label", LABEL, "--tag", tag, directory.toString()))
                                .timeLimit(Duration.ofMinutes(15))
                                .build());
                if (!built.succeeded()) {
                    throw new AssertionError(
                            built.stdout().text() + built.stderr().text());
                }
            } finally {
                delete(directory);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Removes an image that a test has made, with all that was built on it. */
    public void remove(String image) {
        cli.run("rmi", "--force", image);
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }
}
