package io.maestro.docker.internal.environment;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.maestro.docker.ContainerLimits;
import io.maestro.docker.DockerEnvironments;
import io.maestro.docker.DockerHost;
import io.maestro.docker.ImageBuildException;
import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.Image;
import io.maestro.docker.internal.Labels;
import io.maestro.docker.internal.TestEngine;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.Shows;
import io.maestro.docker.testing.TestImages;
import io.maestro.environment.Workplace;
import io.maestro.testing.Full;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What builds of agents may take and use. */
@RequiresEngine
class BuildSettingsTest {
    /**
     * A program for Linux on amd64. It writes to {@code /dev/shm}, which no ending of a process frees, until its child of 400 KB
     * is ended for want of memory; then it frees all, and succeeds.
     */
    private static final String TAKES_ALL = """
            H4sIAAAAAAACA6t39XFjYmRkgAEmBjsGEG8DgwOY7wAV34BQAhSzAKpzYGBlYAGrZQerh6qD6oDR96HiHxLYwLQClB/4tCSFjYF4\
            IAClDS+5Gl7aYQlkeXRe9+i8xs/q0XqgVN/wQOchVpCiY00LBB0YGG0ZHNgYSl877lCC6fHpPADT8fqdY5hn5wGQQUxAacfQfY5A\
            alcD0C+OIaHBu1sYHYCm3+dnddy7INCNwbPz4F6QNx33gSxw3GMLZAP1enS+8Ok879P5zqfzEz+r4Tefzgc+ncc9Ol/xs3paHii9\
            uyMc7Mj7HiDpHcxADlA5kGUDFv7Ozxod6xjjGOsYd1g/JbVMvzgjV7+CgUGvOKO4pKgkMYlBryS1ooRBryg/JbEkkUEvqbiYgQqA\
            G4hBnmHDiC8IuIKmnhGNLwgVM4LyQWEFoRHmY9MPoyWBmAOImaF8UGyBQD9MQQBqqlDAYh4zFn/B9MsRcD8A7uGkN/ACAAA=""";

    @TempDir
    Path directory;

    private TestImages images;
    private Bench bench;

    @BeforeEach
    void open() {
        images = TestImages.ofDocker();
        bench = new Bench(directory, images, images.base());
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private Image built(DockerProject project, String... lines) {
        bench.write(
                "Dockerfile",
                "FROM " + images.busybox() + "\nENV N=" + UUID.randomUUID() + "\n" + String.join("\n", lines));
        try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
            return environment
                    .images()
                    .builds()
                    .build(
                            environment.engine(),
                            environment.place(),
                            new BuildPlan("Dockerfile", ".", Map.of()),
                            "maestro-test-" + UUID.randomUUID(),
                            environment.images().builds().limit());
        }
    }

    /** Bombs that would take more than is allowed, and not much of the machine. */
    @Full(
            "builds that use up what they may; RunArgumentsTest has each limit, aBuildDoesNotGoOnWithoutWhatHoldsItsLimits the group")
    @Test
    @Shows(file = {"build.cpus", "build.memory_mb", "build.pids"})
    void commandsOfABuildShareItsLimits() {
        DockerProject project = bench.open(Map.of("build", Map.of("cpus", 0.75, "memory_mb", 64, "pids", 30)));
        // Two that take what they get for a second, and what they got.
        assertThatThrownBy(() -> built(
                        project,
                        "RUN for i in 1 2; do timeout 1 sh -c 'while :; do :; done' & done; wait; times; exit 9"))
                .hasMessageFindingMatch("0m0\\.\\d+s 0m0\\.\\d+s\n")
                .hasMessageNotContaining("0m1.")
                .hasMessageNotContaining("0m2.");
        assertThatThrownBy(() -> built(project, "RUN for i in $(seq 60); do sleep 9 & done"))
                .hasMessageContaining("can't fork");
        assertThatThrownBy(
                        () -> built(project, "RUN head -c 200m /dev/zero | tail -c 200m | wc -c; echo TOOK IT; exit 9"))
                .hasMessageNotContaining("209715200");
        assertThat(bench.containers(project)).isEmpty();
    }

    /** Whoever writes to a cache decides on what is made from it. */
    @Test
    void aCacheOfBuildsIsOneAgentsAndNotOfWhatIsChecked() {
        String target = "/cache-" + UUID.randomUUID();
        String from = "FROM " + images.busybox() + "\nRUN --mount=type=cache,target=" + target + " ";
        DockerProject project = bench.open(Map.of());
        Workplace place = bench.place("7");
        Workplace other = new Workplace("coder-002", "8", 1, bench.workspace, List.of());
        BuildPlan recipe = new BuildPlan("Dockerfile", ".", Map.of());
        try (StoryEnvironment environment = Bench.environment(project, place)) {
            Builds builds = environment.images().builds();
            Engine engine = environment.engine();
            bench.write("Dockerfile", from + "echo evil > " + target + "/evil\n");
            Supplier<Image> fill =
                    () -> builds.build(engine, place, recipe, "maestro-test-" + UUID.randomUUID(), builds.limit());
            if (Integer.parseInt(engine.facts().version().split("\\.", -1)[0]) < 23) {
                assertThatThrownBy(fill::get).hasMessageContaining("has RUN --mount");
                return;
            }
            fill.get();
            bench.write("Dockerfile", from + "test -e " + target + "/evil\n");
            fill.get();
            bench.write("Dockerfile", from + "! test -e " + target + "/evil\n");
            builds.build(engine, other, recipe, "maestro-test-" + UUID.randomUUID(), builds.limit());
            builds.build(engine, place, bench.workspace, recipe, "maestro-test-" + UUID.randomUUID());
        }
    }

    /** What holds the limits is in the same group, and the smallest are ended last when there is no memory left in it. */
    @Test
    @Full("aBuildEndsAtItsTimeLimit ends a build in the same way")
    void aBuildDoesNotGoOnWithoutWhatHoldsItsLimits() throws IOException {
        assumeTrue(System.getProperty("os.arch").equals("amd64"), "the program is for another processor");
        DockerProject project = bench.open(Map.of("build", Map.of("memory_mb", 64, "pids", 30)));
        try (InputStream program =
                new GZIPInputStream(new ByteArrayInputStream(Base64.getDecoder().decode(TAKES_ALL)))) {
            Path file = Files.write(bench.write("takes-all", ""), program.readAllBytes());
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        // Followed all the time, for an engine remembers 256 events only, of all that use it.
        Path events = directory.resolve("events");
        Process following = new ProcessBuilder(
                        "docker",
                        "events",
                        "--since",
                        Long.toString(Instant.now().getEpochSecond()),
                        "--filter",
                        "event=start",
                        "--filter",
                        "label=" + Labels.INSTANCE + "=" + project.instance().id(),
                        "--format",
                        "{{.Actor.ID}}")
                .redirectOutput(events.toFile())
                .start();
        assertThatThrownBy(() -> built(
                        project,
                        "COPY takes-all /",
                        "RUN [\"/takes-all\"]",
                        "RUN sleep 10; for i in $(seq 60); do sleep 9 & done; echo BEGAN $((i+0)); exit 9"))
                .isInstanceOf(ImageBuildException.class)
                .hasMessageMatching("(?s).*(can't fork|what holds its limits has ended).*")
                .hasMessageNotContaining("BEGAN 60");
        assertThat(bench.containers(project)).isEmpty();
        // A command that began in the group's place has left an empty one.
        try {
            TestEngine.await(() -> events.toFile().length() > 0);
        } finally {
            following.destroyForcibly();
        }
        List<String> holders = Files.readAllLines(events);
        for (String holder : holders) {
            removeGroup("docker/" + holder);
        }
    }

    /** With the groups that a builder has made in it; what was ended may need a moment. */
    private static void removeGroup(String group) {
        TestEngine.await(() -> {
            try (var controllers = Files.newDirectoryStream(Path.of("/sys/fs/cgroup"))) {
                for (Path controller : controllers) {
                    removeGroups(controller.resolve(group));
                }
                return true;
            } catch (IOException | UncheckedIOException e) {
                return false;
            }
        });
    }

    private static void removeGroups(Path top) throws IOException {
        if (Files.isDirectory(top)) {
            try (var below = Files.walk(top)) {
                for (Path each : below.filter(Files::isDirectory)
                        .sorted(Comparator.reverseOrder())
                        .toList()) {
                    Files.delete(each);
                }
            }
        }
    }

    @Test
    @Full("CodeSettingsTest reads them, and commandsOfABuildShareItsLimits shows the effect")
    @Shows(code = "builds.limits")
    void commandsOfABuildShareTheLimitsOfTheCode() {
        DockerProject other = bench.open(
                Map.of(),
                DockerEnvironments.builder().builds(all -> all.limits(new ContainerLimits(1, 64 << 20, 30))),
                Map.of());
        assertThatThrownBy(() -> built(other, "RUN for i in $(seq 60); do sleep 9 & done"))
                .hasMessageContaining("can't fork");
    }

    @Test
    @Full("two builds; commandsOfABuildShareItsLimits has the same way to the builder")
    @Shows(file = "build.network", code = "builds.network")
    void aBuildHasTheNetworkThatIsSet() {
        DockerProject none = bench.open(Map.of("build", Map.of("network", "none")));
        built(none, "RUN ! test -e /sys/class/net/eth0");
        DockerProject bridge = bench.open(
                Map.of("network", "none"), DockerEnvironments.builder().builds(all -> all.network(true)), Map.of());
        built(bridge, "RUN test -e /sys/class/net/eth0");
    }

    @Test
    @Full("two builds; commandsOfABuildShareItsLimits has the same way to the builder")
    @Shows(file = "build_cgroup", code = "builds.controlGroup")
    void aBuildRunsInTheControlGroupThatIsSet() {
        String group = "maestro-test-" + UUID.randomUUID();
        try {
            built(bench.open(Map.of("build_cgroup", "/" + group)), "RUN grep " + group + " /proc/self/cgroup");
            built(
                    bench.open(
                            Map.of(),
                            DockerEnvironments.builder().builds(all -> all.controlGroup("/" + group)),
                            Map.of()),
                    "RUN grep " + group + " /proc/self/cgroup");
        } finally {
            removeGroup(group);
        }
    }

    /** An engine that does not put commands where it is told to. */
    @Test
    @Full("builds are tried three times; the other tests build within limits")
    @Shows(file = "build_limits", code = "builds.limitsRequired")
    void whereLimitsAreNotHeldABuildIsRefusedUnlessTheyAreOptional() throws IOException {
        Path program = Files.createDirectories(directory.resolve("bin")).resolve("docker");
        Files.writeString(program, """
                #!/bin/sh
                n=$#
                while [ $n -gt 0 ]; do
                  if [ "$1" = --cgroup-parent ]; then shift; n=$((n-1)); else set -- "$@" "$1"; fi
                  shift; n=$((n-1))
                done
                if [ "$1" = info ]; then docker "$@" | sed 's/"ServerVersion":"/&%s-/'; else exec docker "$@"; fi
                """.formatted("1.0-" + UUID.randomUUID()));
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        DockerHost host = DockerHost.builder().program(program.toString()).build();
        DockerProject required =
                bench.open(Map.of(), DockerEnvironments.builder().host(host), Map.of());
        assertThatThrownBy(() -> built(required, "RUN true"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no builder of the engine");
        DockerProject optional = bench.open(
                Map.of("build_limits", "optional"), DockerEnvironments.builder().host(host), Map.of());
        built(optional, "RUN true");
        DockerProject inCode = bench.open(
                Map.of(), DockerEnvironments.builder().host(host).builds(all -> all.limitsRequired(false)), Map.of());
        built(inCode, "RUN true");
    }

    /** The user's other images are there all the same. */
    @Test
    @Full("six builds; imagesAreAllowedByTheirNames has the rule")
    @Shows(file = "allowed_images[]", code = "images.allowed")
    void onlyImagesThatAreAllowedCanBeNamed() {
        DockerProject none = bench.open(Map.of("allowed_images", List.of()));
        for (String line : List.of(
                "COPY --from=" + images.busybox() + " /bin/busybox /x",
                "FROM " + images.good("private"),
                "FROM localhost:5000/x",
                "FROM 127.0.0.1:5000/x")) {
            assertThatThrownBy(() -> refusing(none, line)).hasMessageContaining("may not be used");
        }
        built(bench.open(Map.of("allowed_images", List.of("maestro-test/busybox"))));
        DockerProject inCode = bench.open(
                Map.of("allowed_images", List.of()),
                DockerEnvironments.builder().images(all -> all.allowed("maestro-test/*")),
                Map.of());
        // As builds look for their images.
        try (StoryEnvironment environment = Bench.environment(inCode, bench.place("7"))) {
            assertThat(environment.images().find(environment.engine(), environment.place(), images.busybox()))
                    .isEqualTo(environment.engine().image(images.busybox()).orElseThrow());
        }
    }

    @Test
    void imagesAreAllowedByTheirNames() {
        assertThat(UsableImages.matches("maven:3", "maven:3")).isTrue();
        assertThat(UsableImages.matches("maven", "docker.io/library/maven:3")).isTrue();
        assertThat(UsableImages.matches("maven", "mavenx")).isFalse();
        assertThat(UsableImages.matches("maven", "maven:5000/x")).isFalse();
        assertThat(UsableImages.matches("*", "team/app:1")).isTrue();
        assertThat(UsableImages.matches("*", "127.0.0.1:5000/x")).isFalse();
        assertThat(UsableImages.matches("registry.example.org/team/*", "registry.example.org/team/a:1"))
                .isTrue();
        assertThat(UsableImages.matches("registry.example.org/team/*", "registry.example.org.evil/team/a"))
                .isFalse();
        for (String other : List.of("LOCALHOST/x", "1a2b3c4d5e6f", "sha256:1a2b")) {
            assertThat(UsableImages.matches("*", other)).as(other).isFalse();
        }
        for (String other : List.of("team/x", "EVIL/x", "docker.io/other/x")) {
            assertThat(UsableImages.matches("library/*", other)).as(other).isFalse();
        }
        assertThat(UsableImages.matches("library/*", "index.docker.io/maven:3")).isTrue();
        assertThat(UsableImages.matches("registry.example.org/team/*", "docker.io/registry.example.org/team/evil"))
                .isFalse();
        assertThat(UsableImages.matches("maven:3", "maven:3@sha256:1a2b")).isFalse();
        assertThat(UsableImages.matches("maven", "maven@sha256:1a2b")).isTrue();
    }

    private void refusing(DockerProject project, String line) {
        bench.write("Dockerfile", "FROM maestro-bootstrap\n" + line + "\n");
        try (StoryEnvironment environment = Bench.environment(project, bench.place("7"))) {
            environment
                    .images()
                    .builds()
                    .build(
                            environment.engine(),
                            environment.place(),
                            new BuildPlan("Dockerfile", ".", Map.of()),
                            "maestro-test-" + UUID.randomUUID(),
                            environment.images().builds().limit());
        }
    }
}
