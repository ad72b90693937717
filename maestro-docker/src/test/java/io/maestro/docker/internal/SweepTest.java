package io.maestro.docker.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.ContainerSpec;
import io.maestro.docker.DockerException;
import io.maestro.docker.DockerHost;
import io.maestro.docker.DockerUnavailableException;
import io.maestro.docker.Mount;
import io.maestro.docker.internal.Inspector.ObjectKind;
import io.maestro.testing.ChildJvm;
import io.maestro.testing.Full;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SweepTest {
    @TempDir
    Path directory;

    /** A container on a network with a volume, as an agent has them. */
    private record Things(Container container, Network network, Volume volume) {
        static Things make(TestEngine test) {
            Network network = test.engine.createNetwork("a1", "net", Map.of());
            Volume volume = test.engine.createVolume("a1", "data", Map.of());
            ContainerSpec spec = ContainerSpec.builder(test.kind.busybox(), "coding")
                    .network(network.name())
                    .mount(Mount.volume(volume.name(), "/data"))
                    .build();
            return new Things(test.engine.start("a1", spec), network, volume);
        }

        List<String> names() {
            return List.of("container " + container.name(), "network " + network.name(), "volume " + volume.name());
        }

        boolean allThere(TestEngine test) {
            return test.engine.containers().contains(container)
                    && test.engine.networks().stream().anyMatch(it -> it.name().equals(network.name()))
                    && test.engine.volumes().stream().anyMatch(it -> it.name().equals(volume.name()));
        }

        boolean nothingThere(TestEngine test) {
            Inspector inspector = test.engine.inspector();
            return inspector.find(ObjectKind.CONTAINER, container.id()).isEmpty()
                    && inspector.find(ObjectKind.NETWORK, network.name()).isEmpty()
                    && inspector.find(ObjectKind.VOLUME, volume.name()).isEmpty();
        }
    }

    private static Sweep sweep(TestEngine test) {
        return new Sweep(test.engine, labels -> false);
    }

    private static Instance laterLife(Instance instance) {
        return new Instance(instance.id(), Instance.newId(), instance.project());
    }

    @ParameterizedTest
    @EnumSource(names = "DOCKER")
    void aStartRemovesWhatAnEarlierLifeLeftAndACloseAll(TestEngine.EngineKind kind) {
        try (TestEngine before = kind.open();
                TestEngine other = kind.open();
                TestEngine now = kind.open(laterLife(before.engine.instance()))) {
            // As after kill -9: nobody has removed anything.
            Things left = Things.make(before);
            Things others = Things.make(other);
            Things own = Things.make(now);
            Volume kept = before.engine.createVolume("a1", "session", Map.of("io.maestro.keep", "session"));
            Sweep sparing = new Sweep(
                    now.engine,
                    labels -> !labels.getOrDefault("io.maestro.keep", "").isEmpty());

            SweepReport report = sparing.atStart();
            assertThat(report.removed()).containsExactlyInAnyOrderElementsOf(left.names());
            assertThat(report.failed()).isEmpty();
            assertThat(left.nothingThere(before)).isTrue();
            assertThat(own.allThere(now)).isTrue();
            assertThat(others.allThere(other)).isTrue();
            assertThat(now.engine.volumes()).extracting(Volume::name).contains(kept.name());
            assertThat(sparing.atStart().removed()).isEmpty();

            Thread.currentThread().interrupt();
            SweepReport last = sweep(now).atClose();
            assertThat(Thread.interrupted()).isTrue();
            assertThat(last.removed())
                    .containsAll(own.names())
                    .contains("volume " + kept.name())
                    .hasSize(4);
            assertThat(own.nothingThere(now)).isTrue();
            assertThat(others.allThere(other)).isTrue();
        }
    }

    @Test
    @Full("docker takes the same way through the code")
    void aStartRemovesWhatAnEarlierLifeLeftAndACloseAllOnPodman() {
        aStartRemovesWhatAnEarlierLifeLeftAndACloseAll(TestEngine.EngineKind.PODMAN);
    }

    /** An image brings labels along, of any size: more of them than is read of an answer. */
    @Test
    @Full("a megabyte of labels, many times")
    void labelsOfAnySizeDoNotStopASweep() {
        try (TestEngine before = TestEngine.EngineKind.DOCKER.open();
                TestEngine now = TestEngine.EngineKind.DOCKER.open(laterLife(before.engine.instance()))) {
            Things left = Things.make(before);
            // Written as JSON each of them has six characters.
            String large = "\u0001".repeat(120_000);
            List<String> words = new ArrayList<>(List.of("create"));
            before.engine
                    .instance()
                    .labels()
                    .forEach((key, value) -> words.addAll(List.of("--label", key + "=" + value)));
            for (int i = 0; i < 14; i++) {
                words.addAll(List.of("--label", "evil" + i + "=" + large));
            }
            words.addAll(List.of("--name", before.engine.instance().uniqueName("evil", "one"), "--"));
            words.addAll(List.of(before.kind.busybox(), "true"));
            for (int i = 0; i < 3; i++) {
                words.set(words.indexOf("--name") + 1, before.engine.instance().uniqueName("evil", "n" + i));
                before.engine.cli().output(words.toArray(String[]::new));
            }
            SweepReport report = sweep(now).atStart();
            assertThat(report.failed()).isEmpty();
            assertThat(report.removed()).hasSize(left.names().size() + 3);
            assertThat(left.nothingThere(before)).isTrue();
        }
    }

    @ParameterizedTest
    @Full("four containers")
    @EnumSource
    void oneThatCannotBeRemovedDoesNotStopTheRestAndIsNamed(TestEngine.EngineKind kind) {
        try (TestEngine before = kind.open();
                TestEngine other = kind.open();
                TestEngine now = kind.open(laterLife(before.engine.instance()))) {
            Things left = Things.make(before);
            Volume used = before.engine.createVolume("a1", "used", Map.of());
            ContainerSpec user = ContainerSpec.builder(kind.busybox(), "coding")
                    .mount(Mount.volume(used.name(), "/data"))
                    .build();
            Container holder = other.engine.start("a1", user);
            assertThatThrownBy(() -> sweep(now).atStart())
                    .isInstanceOf(DockerException.class)
                    .hasMessageStartingWith(
                            "what an earlier run has left on " + kind.host().name() + " cannot be removed")
                    .hasMessageContaining("volume " + used.name() + ": ");
            assertThat(left.nothingThere(before)).isTrue();
            assertThat(other.engine.isRunning(holder)).isTrue();
            other.engine.remove(holder);
            assertThat(sweep(now).atStart().removed()).containsExactly("volume " + used.name());
        }
    }

    @ParameterizedTest
    @EnumSource(names = "DOCKER")
    void whatHasNoLabelIsNotTouched(TestEngine.EngineKind kind) {
        try (TestEngine test = kind.open()) {
            String name = "maestro-" + test.engine.instance().id().substring(0, 8) + "-a1-coding-" + Instance.newId();
            test.engine.cli().output("run", "--detach", "--name", name, kind.busybox(), "sleep", "1000");
            try {
                assertThat(sweep(test).atClose().removed()).isEmpty();
                assertThat(sweep(test).ofTheDead().removed().toString()).doesNotContain(name);
                assertThatThrownBy(
                                () -> test.engine.remove(new Container(name, name, "", "a1", "coding", "/", Map.of())))
                        .hasMessageContaining("was not made by this instance");
                assertThat(test.engine.cli().output("inspect", "--format", "{{.State.Running}}", name))
                        .isEqualTo("true");
            } finally {
                test.engine.cli().run("kill", name);
                test.engine.cli().output("rm", "--force", name);
            }
        }
    }

    @Test
    @Full("docker takes the same way through the code")
    void whatHasNoLabelIsNotTouchedOnPodman() {
        whatHasNoLabelIsNotTouched(TestEngine.EngineKind.PODMAN);
    }

    /** Each by one thing different from an instance that is dead. */
    @ParameterizedTest
    @EnumSource(names = "DOCKER")
    void anotherInstancesLeftoversGoOnlyWhenItIsDeadForSure(TestEngine.EngineKind kind) throws Exception {
        Path project = Files.createDirectories(directory.resolve("project"));
        Instance dead;
        try (InstanceRegistry registry = InstanceRegistry.open(project)) {
            dead = registry.instance();
        }
        try (TestEngine theirs = kind.open(dead);
                TestEngine mine = kind.open()) {
            Container left = theirs.engine.start(
                    "a1", ContainerSpec.builder(kind.busybox(), "coding").build());
            Path heartbeat = project.resolve(".maestro/heartbeat");
            Path idFile = project.resolve(".maestro/instance");
            assertNotTouched(mine, theirs, left);

            Files.setLastModifiedTime(
                    heartbeat,
                    FileTime.from(Instant.now().minus(ProjectFiles.DEAD).minusSeconds(60)));
            String id = Files.readString(idFile);
            Files.writeString(idFile, Instance.newId() + "\n" + project + "\n");
            assertNotTouched(mine, theirs, left);
            Files.writeString(idFile, id);

            Path away = Files.move(project, directory.resolve("away"));
            assertNotTouched(mine, theirs, left);
            Files.move(away, project);

            // Held in this process: looking at it must not give it back.
            try (FileChannel channel = lockFile(project)) {
                assertThat(channel.lock().isValid()).isTrue();
                assertNotTouched(mine, theirs, left);
                assertThat(lockedForOthers(project)).isTrue();
            }
            Process holder = holder(project);
            try {
                assertNotTouched(mine, theirs, left);
            } finally {
                holder.destroyForcibly().waitFor();
            }

            // By this sweep, or by that of another suite on the engine.
            assertThat(sweep(mine).ofTheDead().failed().toString()).doesNotContain(left.name());
            assertThat(theirs.engine.containers()).isEmpty();
        }
    }

    @Test
    @Full("docker takes the same way through the code")
    void anotherInstancesLeftoversGoOnlyWhenItIsDeadForSureOnPodman() throws Exception {
        anotherInstancesLeftoversGoOnlyWhenItIsDeadForSure(TestEngine.EngineKind.PODMAN);
    }

    /** Another process that holds a project's lock. The sweep of another suite may hold it for a moment. */
    private static Process holder(Path project) throws Exception {
        for (int tries = 0; tries < 20; tries++) {
            Process holder = OtherProcess.start(project);
            if (OtherProcess.answer(holder).equals("held")) {
                return holder;
            }
            holder.destroyForcibly().waitFor();
        }
        throw new AssertionError("somebody else holds the lock of " + project + " all the time");
    }

    private static void assertNotTouched(TestEngine mine, TestEngine theirs, Container left) {
        // Another suite's may be dead at the same time.
        assertThat(sweep(mine).ofTheDead().removed()).doesNotContain("container " + left.name());
        assertThat(theirs.engine.isRunning(left)).isTrue();
    }

    private static FileChannel lockFile(Path project) throws IOException {
        return FileChannel.open(project.resolve(".maestro/lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    }

    private static boolean lockedForOthers(Path project) throws Exception {
        Process other = OtherProcess.start(project);
        try {
            return OtherProcess.answer(other).equals("busy");
        } finally {
            other.destroyForcibly().waitFor();
        }
    }

    /** Takes a project's lock as core does, and holds it until it is killed. */
    static final class OtherProcess {
        public static void main(String[] arguments) throws Exception {
            FileChannel channel = lockFile(Path.of(arguments[0]));
            System.out.println(channel.tryLock() == null ? "busy" : "held");
            System.in.read();
        }

        static Process start(Path project) throws IOException {
            return ChildJvm.of(OtherProcess.class, project.toString())
                    .redirectErrorStream(true)
                    .start();
        }

        static String answer(Process process) throws IOException {
            return new String(process.getInputStream().readNBytes(4), StandardCharsets.UTF_8);
        }
    }

    @Test
    void anEngineThatIsDownIsNamed() {
        DockerHost nobody = DockerHost.builder()
                .url("unix://" + directory.resolve("none.sock"))
                .build();
        Engine engine = new Engine(new DockerCli(nobody), new Instance(Instance.newId(), "s", directory));
        for (Runnable sweep : List.<Runnable>of(
                () -> new Sweep(engine, labels -> false).atStart(),
                () -> new Sweep(engine, labels -> false).atClose(),
                () -> new Sweep(engine, labels -> false).ofTheDead())) {
            assertThatThrownBy(sweep::run)
                    .isInstanceOf(DockerUnavailableException.class)
                    .hasMessageContaining("none.sock");
        }
    }
}
