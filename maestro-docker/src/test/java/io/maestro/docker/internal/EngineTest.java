package io.maestro.docker.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.ContainerSpec;
import io.maestro.docker.ContainerStartException;
import io.maestro.docker.ContainerStartException.Reason;
import io.maestro.docker.DockerException;
import io.maestro.docker.DockerHost;
import io.maestro.docker.ImageBuild;
import io.maestro.docker.Mount;
import io.maestro.docker.internal.workspace.MappedUser;
import io.maestro.testing.Campaign;
import io.maestro.testing.Full;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Execution(ExecutionMode.CONCURRENT)
class EngineTest {
    @ParameterizedTest
    @EnumSource
    void aContainerIsMadeFoundAndRemoved(TestEngine.EngineKind kind) {
        try (TestEngine test = kind.open()) {
            Engine engine = test.engine;
            Container container = engine.start(
                    "coder-001", ContainerSpec.builder(kind.busybox(), "coding").build());
            assertThat(container.agentId()).isEqualTo("coder-001");
            assertThat(container.role()).isEqualTo("coding");
            assertThat(container.name())
                    .startsWith("maestro-" + engine.instance().id().substring(0, 8) + "-coder-001-coding-");
            assertThat(container.imageId())
                    .isEqualTo(engine.image(kind.busybox()).orElseThrow().id());
            assertThat(engine.isRunning(container)).isTrue();
            assertThat(engine.containers()).containsExactly(container);
            engine.remove(container);
            engine.remove(container);
            assertThat(engine.isRunning(container)).isFalse();
            assertThat(engine.containers()).isEmpty();
        }
    }

    /** Without them, containers of one network reach each other, and an internal network reaches the services of this machine. */
    @Test
    void networksHaveTheOptionsThatKeepThemApart() {
        try (TestEngine test = TestEngine.EngineKind.DOCKER.open()) {
            Network alone = test.engine.createNetwork("a1", "net", Map.of());
            Network inner = test.engine.createSharedNetwork("a1", "net", Map.of(), true);
            String format = "{{.Internal}} {{.Options}}";
            assertThat(test.engine.cli().output("network", "inspect", "--format", format, alone.name(), inner.name()))
                    .matches("false .*enable_icc:false.*\\Rtrue .*inhibit_ipv4:true.*\\R?");
        }
    }

    @Full("waits for what does not come")
    @ParameterizedTest
    @EnumSource
    void networksAreApart(TestEngine.EngineKind kind) {
        try (TestEngine test = kind.open()) {
            Engine engine = test.engine;
            String one =
                    engine.createSharedNetwork("a1", "net", Map.of(), false).name();
            String other =
                    engine.createSharedNetwork("a1", "net", Map.of(), false).name();
            ContainerSpec.Builder spec = ContainerSpec.builder(kind.busybox(), "coding");
            Container server = engine.start(
                    "a1",
                    spec.network(one)
                            .command(List.of("sh", "-c", "while :; do echo hello | nc -l -p 8080; done"))
                            .build());
            String address = engine.address(server, one).orElseThrow();
            Container near = engine.start(
                    "a1",
                    ContainerSpec.builder(kind.busybox(), "coding").network(one).build());
            Container far = engine.start(
                    "a1",
                    ContainerSpec.builder(kind.busybox(), "coding")
                            .network(other)
                            .build());
            String ask = "nc -w 3 " + address + " 8080 </dev/null 2>&1";
            TestEngine.await(() -> engine.cli()
                    .run("exec", near.id(), "sh", "-c", ask)
                    .stdout()
                    .text()
                    .contains("hello"));
            assertThat(engine.cli()
                            .run("exec", far.id(), "sh", "-c", ask)
                            .stdout()
                            .text())
                    .doesNotContain("hello");
        }
    }

    @ParameterizedTest
    @EnumSource(names = "DOCKER")
    void whatCannotRunSaysWhyAndLeavesNothing(TestEngine.EngineKind kind) {
        try (TestEngine test = kind.open()) {
            Engine engine = test.engine;
            ContainerSpec good = ContainerSpec.builder(kind.busybox(), "coding").build();
            assertFails(
                    engine,
                    good.toBuilder().image("maestro-test/none:1").build(),
                    Reason.IMAGE_MISSING,
                    "there is no image 'maestro-test/none:1'",
                    "none is pulled; build it, or choose one that is there");
            String id = "sha256:" + "0".repeat(64);
            assertFails(
                    engine, good.toBuilder().image(id).build(), Reason.IMAGE_MISSING, "there is no image '" + id + "'");
            assertFails(
                    engine,
                    good.toBuilder()
                            .command(List.of("sh", "-c", "echo out; echo bad >&2; exit 3"))
                            .build(),
                    Reason.ENDED,
                    "ended at once with exit code 3",
                    "out",
                    "bad");
            assertFails(
                    engine,
                    good.toBuilder().command(List.of("nosuchprogram")).build(),
                    Reason.ENDED,
                    "its image has no program 'nosuchprogram'");
            assertFails(
                    engine,
                    good.toBuilder().network("no-such-net").build(),
                    Reason.REFUSED,
                    "there is no network 'no-such-net'");
        }
    }

    @Test
    @Full("docker takes the same way through the code")
    void whatCannotRunSaysWhyAndLeavesNothingOnPodman() {
        whatCannotRunSaysWhyAndLeavesNothing(TestEngine.EngineKind.PODMAN);
    }

    private static void assertFails(Engine engine, ContainerSpec spec, Reason reason, String... texts) {
        assertThatThrownBy(() -> engine.start("a1", spec))
                .asInstanceOf(InstanceOfAssertFactories.throwable(ContainerStartException.class))
                .hasMessageContainingAll(texts)
                .extracting(ContainerStartException::reason)
                .isEqualTo(reason);
        assertThat(engine.containers()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = "DOCKER")
    void othersContainersAreNotTouched(TestEngine.EngineKind kind) {
        try (TestEngine mine = kind.open();
                TestEngine other = kind.open()) {
            Container theirs = other.engine.start(
                    "a1", ContainerSpec.builder(kind.busybox(), "coding").build());
            assertThat(mine.engine.containers()).isEmpty();
            assertThatThrownBy(() -> mine.engine.remove(theirs))
                    .isInstanceOf(DockerException.class)
                    .hasMessageContaining("was not made by this instance");
            assertThatThrownBy(() -> mine.engine.stop(theirs)).isInstanceOf(DockerException.class);
            assertThat(other.engine.isRunning(theirs)).isTrue();
        }
    }

    @Test
    @Full("docker takes the same way through the code")
    void othersContainersAreNotTouchedOnPodman() {
        othersContainersAreNotTouched(TestEngine.EngineKind.PODMAN);
    }

    /** As pid 1, and with children of its own; the engine's own grace of ten seconds would show. */
    @ParameterizedTest
    @EnumSource
    @Full("waits; aContainerIsMadeFoundAndRemoved removes in the same way")
    void whatIgnoresTermIsStoppedAndRemovedAllTheSame(TestEngine.EngineKind kind) {
        try (TestEngine test = kind.open()) {
            ContainerSpec stubborn = ContainerSpec.builder(kind.busybox(), "coding")
                    .command(List.of("sh", "-c", "trap '' TERM INT HUP; while :; do sleep 1; done"))
                    .build();
            Container container = test.engine.start("a1", stubborn);
            test.engine.stop(container);
            assertThat(test.engine.isRunning(container)).isFalse();
            test.engine.stop(container);
            test.engine.remove(container);
            test.engine.stop(container);
            Container second = test.engine.start("a1", stubborn);
            test.engine.remove(second);
            assertThat(test.engine.containers()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    @Full("whatCannotRunSaysWhyAndLeavesNothing has the report")
    void anImageWithoutAShellIsNamedAsSuch(TestEngine.EngineKind kind) throws Exception {
        try (TestEngine test = kind.open()) {
            Path root = test.directory("image");
            Files.writeString(
                    root.resolve("Dockerfile"),
                    "FROM " + kind.busybox() + " AS b\nFROM scratch\nCOPY --from=b /bin/busybox /busybox\n");
            Image image = test.engine.build(ImageBuild.builder(root).build());
            ContainerSpec spec = ContainerSpec.builder(image.id(), "coding").build();
            assertFails(test.engine, spec, Reason.NO_SHELL, "no POSIX shell (sh)", "choose an image that has one");
            ContainerSpec runs = spec.toBuilder()
                    .command(List.of("/busybox", "sleep", "1000"))
                    .build();
            assertFails(test.engine, runs, Reason.NO_SHELL, "runs, but has no POSIX shell (sh)");
        }
    }

    @ParameterizedTest
    @EnumSource(names = "DOCKER")
    void anInterruptedStartLeavesNothing(TestEngine.EngineKind kind) throws Exception {
        try (TestEngine test = kind.open()) {
            ContainerSpec spec = ContainerSpec.builder(kind.busybox(), "coding").build();
            Random random = new Random(Campaign.seed("anInterruptedStartLeavesNothing"));
            int attempts = Campaign.number(3);
            for (int attempt = 0; attempt < attempts; attempt++) {
                long nanos = TimeUnit.MILLISECONDS.toNanos(random.nextInt(600));
                AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
                Thread thread = new Thread(() -> {
                    try {
                        test.engine.remove(test.engine.start("a1", spec));
                    } catch (DockerException e) {
                        failure.set(e);
                    }
                });
                thread.start();
                LockSupport.parkNanos(nanos);
                thread.interrupt();
                thread.join();
                assertThat(test.engine.containers())
                        .as("interrupted after %s ns: %s", nanos, failure.get())
                        .isEmpty();
            }
        }
    }

    @Test
    @Full("docker takes the same way through the code")
    void anInterruptedStartLeavesNothingOnPodman() throws Exception {
        anInterruptedStartLeavesNothing(TestEngine.EngineKind.PODMAN);
    }

    @ParameterizedTest
    @EnumSource
    @Full("ComposeStackTest, EgressTest and EquipmentTest have networks")
    void networksAreJoinedAndLeft(TestEngine.EngineKind kind) {
        try (TestEngine test = kind.open()) {
            Engine engine = test.engine;
            Network network = engine.createNetwork("a1", "net", Map.of("io.maestro.story", "042"));
            assertThat(engine.networks()).containsExactly(network);
            assertThat(network.labels())
                    .containsEntry("io.maestro.story", "042")
                    .containsEntry(Labels.AGENT, "a1");
            Container container = engine.start(
                    "a1",
                    ContainerSpec.builder(kind.busybox(), "coding")
                            .network("bridge")
                            .build());
            for (int again = 0; again < 2; again++) {
                engine.connect(container, network.name());
                assertThat(networksOf(test, container)).contains(network.name());
            }
            for (int again = 0; again < 2; again++) {
                engine.disconnect(container, network.name());
                assertThat(networksOf(test, container)).doesNotContain(network.name());
            }
            engine.removeNetwork(network.name());
            engine.removeNetwork(network.name());
            engine.disconnect(container, network.name());
            assertThat(engine.networks()).isEmpty();
            assertThatThrownBy(() -> engine.connect(container, network.name())).isInstanceOf(DockerException.class);
        }
    }

    private static String networksOf(TestEngine test, Container container) {
        return test.engine
                .inspector()
                .find(Inspector.ObjectKind.CONTAINER, container.id())
                .orElseThrow()
                .at("/NetworkSettings/Networks")
                .toString();
    }

    @ParameterizedTest
    @EnumSource
    @Full("VolumeWorkspaceTest copies into volumes")
    void volumesKeepWhatIsCopiedInto(TestEngine.EngineKind kind) {
        try (TestEngine test = kind.open();
                TestEngine other = kind.open()) {
            Engine engine = test.engine;
            Volume volume = engine.createVolume("a1", "data", Map.of("io.maestro.keep", "x"));
            assertThat(engine.volumes()).containsExactly(volume);
            Container container = engine.start(
                    "a1",
                    ContainerSpec.builder(kind.busybox(), "coding")
                            .mount(Mount.volume(volume.name(), "/data"))
                            .command(List.of("sh", "-c", "echo one; echo two >&2; while :; do sleep 100; done"))
                            .build());
            engine.copyIn(container, "/data", tar("name with blank", "content"));
            assertThat(engine.cli().output("exec", container.id(), "cat", "/data/name with blank"))
                    .isEqualTo("content");
            assertThat(engine.logs(container, 10)).contains("one\n", "two\n");
            assertThatThrownBy(() -> engine.removeVolume(volume.name()))
                    .isInstanceOf(DockerException.class)
                    .hasMessageContaining(volume.name());
            assertThatThrownBy(() -> other.engine.removeVolume(volume.name()))
                    .hasMessageContaining("was not made by this instance");
            engine.remove(container);
            assertThatThrownBy(() -> engine.logs(container, 10)).isInstanceOf(DockerException.class);
            engine.removeVolume(volume.name());
            engine.removeVolume(volume.name());
            assertThat(engine.volumes()).isEmpty();
        }
    }

    /** One file, by hand: a header of 512 bytes, the content, two blocks of zeros. */
    private static byte[] tar(String name, String content) {
        byte[] archive = new byte[512 * 4];
        put(archive, 0, name);
        put(archive, 100, "0000644");
        put(archive, 108, "0000000");
        put(archive, 116, "0000000");
        put(archive, 124, String.format(Locale.ROOT, "%011o", content.length()));
        put(archive, 136, "00000000000");
        put(archive, 148, "        ");
        put(archive, 156, "0");
        put(archive, 257, "ustar");
        put(archive, 263, "00");
        int sum = 0;
        for (int i = 0; i < 512; i++) {
            sum += archive[i];
        }
        put(archive, 148, String.format(Locale.ROOT, "%06o\0 ", sum));
        put(archive, 512, content);
        return archive;
    }

    private static void put(byte[] archive, int at, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        System.arraycopy(bytes, 0, archive, at, bytes.length);
    }

    /** A client that loses its patience with the engine, and one whose engine is busy with the removal already. */
    @Test
    @Full("it waits for an engine that is slow")
    void aRemovalThatIsSlowOrUnderWayIsTriedAgainAndOneThatFailsIsSaid() throws Exception {
        try (TestEngine test = TestEngine.EngineKind.DOCKER.open()) {
            Engine engine = test.engine;
            ContainerSpec spec =
                    ContainerSpec.builder(test.kind.busybox(), "coding").build();
            Path count = test.directory("state").resolve("count");
            String busy = "[ -e '" + count + "' ] || { : > '" + count
                    + "'; echo 'removal of container x is already in progress' >&2; exit 1; }";
            Container first = engine.start("a1", spec);
            new Engine(fakeRm(test, busy), engine.instance()).remove(first);
            assertThat(engine.containers()).isEmpty();
            Files.delete(count);

            Container second = engine.start("a1", spec);
            String slow = "[ -e '" + count + "' ] || { : > '" + count + "'; sleep 100; }";
            DockerCli cli = fakeRm(test, slow);
            new Remover(cli, new Inspector(cli), Duration.ofSeconds(8))
                    .remove(
                            Inspector.ObjectKind.CONTAINER,
                            second.id(),
                            engine.instance().id());
            assertThat(engine.containers()).isEmpty();

            Container third = engine.start("a1", spec);
            DockerCli refusing = fakeRm(test, "echo 'permission denied by policy' >&2; exit 1");
            assertThatThrownBy(() -> new Engine(refusing, engine.instance()).remove(third))
                    .isInstanceOf(DockerException.class)
                    .hasMessageContaining("permission denied by policy");
            DockerCli lying = fakeRm(test, "exit 0");
            Remover brief = new Remover(lying, new Inspector(lying), Duration.ofSeconds(2));
            assertThatThrownBy(() -> brief.remove(
                            Inspector.ObjectKind.CONTAINER,
                            third.id(),
                            engine.instance().id()))
                    .isInstanceOf(DockerException.class);
            assertThat(engine.isRunning(third)).isTrue();
        }
    }

    /** The real client, but for its command {@code rm}. */
    private static DockerCli fakeRm(TestEngine test, String line) throws IOException {
        Path program = test.directory("bin").resolve("docker");
        Files.writeString(program, "#!/bin/sh\nif [ \"$2\" = rm ]; then\n" + line + "\nfi\nexec docker \"$@\"\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        return new DockerCli(DockerHost.builder().program(program.toString()).build());
    }

    @ParameterizedTest
    @EnumSource
    void factsAreTheEngines(TestEngine.EngineKind kind) {
        try (TestEngine test = kind.open()) {
            EngineFacts facts = test.engine.facts();
            assertThat(facts.version()).containsPattern("^[0-9]+\\.");
            assertThat(facts.podman()).isEqualTo(kind == TestEngine.EngineKind.PODMAN);
            assertThat(facts.cpus()).isPositive();
            assertThat(facts.cgroupVersion()).matches("[12]");
            assertThat(test.engine.facts()).isSameAs(facts);
        }
    }

    @Test
    void aRootlessEnginesRootIsTheOwner(@TempDir Path directory) {
        EngineFacts rootless =
                new EngineFacts("1", false, true, 2, "2", false, Optional.empty(), 0, List.of(), List.of());
        EngineFacts rootful =
                new EngineFacts("1", false, false, 2, "2", false, Optional.empty(), 0, List.of(), List.of());
        TestEngine.chown(directory, 1234, 567);
        assertThat(MappedUser.of(directory, rootful)).isEqualTo("1234:567");
        assertThat(MappedUser.of(directory, rootless)).isEqualTo("0:0");
        assertThatThrownBy(() -> MappedUser.of(directory.resolve("none"), rootful))
                .isInstanceOf(DockerException.class)
                .hasMessageContaining("the owner of " + directory.resolve("none") + " is not known");
    }
}
