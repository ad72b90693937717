package io.maestro.docker.internal.environment;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.ContainerSpec;
import io.maestro.docker.DockerEnvironments;
import io.maestro.docker.DockerException;
import io.maestro.docker.DockerHost;
import io.maestro.docker.DockerUnavailableException;
import io.maestro.docker.Placement;
import io.maestro.docker.internal.ClientStream;
import io.maestro.docker.internal.Container;
import io.maestro.docker.internal.DockerCli;
import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.Instance;
import io.maestro.docker.internal.TestEngine;
import io.maestro.docker.internal.workspace.BindProbe;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.SecondEngine;
import io.maestro.docker.testing.TestImages;
import io.maestro.environment.Equipment;
import io.maestro.environment.Workplace;
import io.maestro.error.MaestroException;
import io.maestro.error.RetriableException;
import io.maestro.testing.Full;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Agents on this machine's engine and on a second one. */
@Full("EnginesTest places coders on engines that are none, FreshEngineTest works on a second one")
@RequiresEngine
class TwoEnginesTest {
    private static final String IMAGE = "maestro-test/busybox:latest";

    @RegisterExtension
    static final SecondEngine SECOND = new SecondEngine(IMAGE);

    @TempDir
    Path temporary;

    private final Instance instance = new Instance(Instance.newId(), Instance.newId(), Path.of("/nonexistent/project"));
    private final Engine first =
            new Engine(new DockerCli(DockerHost.builder().name("first").build()), instance);
    private final Engine second = new Engine(new DockerCli(SECOND.host()), instance);

    @AfterEach
    void remove() {
        for (Engine engine : List.of(first, second)) {
            engine.containers().forEach(engine::remove);
        }
    }

    private static Container start(Engine engine, String agent) {
        return engine.start(agent, ContainerSpec.builder(IMAGE, "coding").build());
    }

    @Test
    void codersAreSpreadOverBoth() {
        Engines engines = new Engines(List.of(first, second), Placement.leastLoaded());
        for (int i = 0; i < 4; i++) {
            Engines.Lease lease = engines.lease("coder-00" + i);
            start(lease.engine(), "coder-00" + i);
        }

        assertThat(first.containers())
                .extracting(Container::agentId)
                .containsExactlyInAnyOrder("coder-000", "coder-002");
        assertThat(second.containers())
                .extracting(Container::agentId)
                .containsExactlyInAnyOrder("coder-001", "coder-003");
    }

    @Test
    void whoNeedsThisMachineIsOnAnEngineThatHasIt() throws Exception {
        TestImages images = TestImages.ofDocker();
        SECOND.load(images.base());
        Path project = Files.createDirectory(SECOND.unseen().resolve("project"));
        try (Bench bench = new Bench(project, images, images.base())) {
            DockerProject opened = bench.open(
                    Map.of("workspace", "auto", "placement", "round-robin"),
                    DockerEnvironments.builder()
                            .host(SECOND.host())
                            .host(first.cli().host()),
                    Map.of());
            Path sockets = Files.createDirectory(project.resolve("sockets"));
            Workplace claude = new Workplace(
                    "coder-001",
                    "1",
                    1,
                    bench.workspace("coder-001"),
                    List.of(),
                    new Equipment(false, Optional.of(sockets), false));
            Workplace architect =
                    new Workplace("architect", null, 1, bench.workspace("architect"), List.of(bench.workspace));
            for (Workplace place : List.of(claude, architect, claude, architect)) {
                try (StoryEnvironment environment = Bench.environment(opened, place)) {
                    assertThat(environment.engine().cli().host().name()).isEqualTo("first");
                }
            }
            Workplace plain = new Workplace("coder-002", "2", 1, bench.workspace("coder-002"), List.of());
            try (StoryEnvironment environment = Bench.environment(opened, plain)) {
                assertThat(environment.engine().cli().host().name()).isEqualTo("second");
            }
            DockerProject far = bench.open(
                    Map.of("workspace", "auto"),
                    DockerEnvironments.builder()
                            .host(SECOND.host())
                            .host(DockerHost.builder()
                                    .name("third")
                                    .url(SECOND.socketUrl())
                                    .build()),
                    Map.of());
            try (StoryEnvironment environment = Bench.environment(far, claude)) {
                assertThatThrownBy(environment::engine)
                        .isInstanceOf(DockerException.class)
                        .hasMessageContaining("none of the engines can run coder-001")
                        .hasMessageContaining("talks to sockets of this machine; add an engine of this machine");
            }
        }
    }

    @Test
    void anEngineThatGoesDownMayBeBackLater() throws Exception {
        AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
        Engines engines = new Engines(
                List.of(second, first),
                Placement.leastLoaded(),
                engine -> {
                    engine.cli().output("version");
                    return engine.facts().cpus();
                },
                now::get,
                Duration.ofSeconds(30));
        Engines.Lease lease = engines.lease("coder-001");
        assertThat(lease.engine()).isSameAs(second);
        Container container = start(second, "coder-001");
        SECOND.stop();
        try {
            assertThatThrownBy(() -> second.isRunning(container))
                    .isInstanceOf(RetriableException.class)
                    .hasMessageContaining("second");
            assertThatThrownBy(() -> start(second, "coder-002")).isInstanceOf(DockerUnavailableException.class);
            assertThatThrownBy(() -> ClientStream.run(
                            second.cli(),
                            "streaming",
                            List.of("exec", "-i", container.id(), "cat"),
                            Duration.ofMinutes(1),
                            out -> out.write(1),
                            in -> true))
                    .isInstanceOf(DockerUnavailableException.class);
            lease.close();
            assertThat(engines.lease("coder-001").engine()).isSameAs(first);
            Engines alone = new Engines(List.of(second), Placement.leastLoaded());
            assertThatThrownBy(() -> alone.lease("coder-001")).isInstanceOf(DockerUnavailableException.class);
        } finally {
            SECOND.start();
        }
        now.set(now.get().plusSeconds(30));
        assertThat(engines.lease("coder-001").engine()).isSameAs(second);
        second.remove(container);
    }

    /** What is asked then is no exit code of a command's own: tests would have failed. */
    @Test
    void anEngineWithoutItsContainerdMayBeBackLater() throws Exception {
        Container container = start(second, "coder-001");
        assertThat(unavailable(() -> second.cli().run("exec", container.id(), "true")))
                .hasMessageContaining("containerd");
        assertThat(unavailable(() -> start(second, "coder-002"))).isNotNull();
        // A command that it ends just before it is back fails like one of its own.
        TestEngine.await(() -> {
            try {
                return second.cli().run("exec", container.id(), "true").succeeded();
            } catch (DockerUnavailableException e) {
                return false;
            }
        });
    }

    /** What is thrown while it has no containerd; on a busy machine it may have a new one before it is asked. */
    private static DockerUnavailableException unavailable(Callable<?> asked) throws Exception {
        for (int tries = 0; tries < 10; tries++) {
            SECOND.killContainerd();
            try {
                asked.call();
            } catch (DockerUnavailableException e) {
                return e;
            }
        }
        throw new AssertionError("it has never been without containerd when it was asked");
    }

    @Test
    void aContextReachesIt() throws Exception {
        // The user's own contexts are left alone.
        Path program = Files.writeString(
                temporary.resolve("docker"),
                "#!/bin/sh\nDOCKER_CONFIG='" + temporary.resolve("config") + "' exec docker \"$@\"\n");
        assertThat(program.toFile().setExecutable(true)).isTrue();
        DockerHost.Builder host = DockerHost.builder().program(program.toString());
        new DockerCli(host.build()).output("context", "create", "elsewhere", "--docker", "host=" + SECOND.socketUrl());

        requireSecond(host.context("elsewhere").build());
    }

    @Test
    void anAddressReachesItWithTls() throws Exception {
        requireSecond(DockerHost.builder()
                .url(SECOND.tlsUrl())
                .tlsDirectory(SECOND.keys())
                .build());
    }

    private void requireSecond(DockerHost host) {
        String root = second.cli().output("info", "--format", "{{.DockerRootDir}}");
        assertThat(root).isNotEqualTo(first.cli().output("info", "--format", "{{.DockerRootDir}}"));
        Engine engine = new Engine(new DockerCli(host), instance);
        assertThat(engine.cli().output("info", "--format", "{{.DockerRootDir}}"))
                .isEqualTo(root);
        Container container = start(engine, "coder-001");
        assertThat(second.isRunning(container)).isTrue();
        String streamed = ClientStream.run(
                engine.cli(),
                "streaming",
                List.of("exec", "-i", container.id(), "cat"),
                Duration.ofMinutes(1),
                out -> out.write("there and back".getBytes(StandardCharsets.UTF_8)),
                in -> new String(in.readAllBytes(), StandardCharsets.UTF_8));
        assertThat(streamed).isEqualTo("there and back");
    }

    @Test
    void anAuthorityThatIsNotItsOwnIsRefused() throws Exception {
        DockerCli cli = new DockerCli(DockerHost.builder()
                .url(SECOND.tlsUrl())
                .tlsDirectory(SECOND.wrongAuthority())
                .build());
        assertThatThrownBy(() -> cli.output("version"))
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("x509");
        DockerCli plain =
                new DockerCli(DockerHost.builder().url(SECOND.tlsUrl()).build());
        assertThatThrownBy(() -> plain.output("version")).isInstanceOf(MaestroException.class);
    }

    @Test
    void whereABindMountWorksIsFoundOut() throws Exception {
        Path unseen =
                Files.createDirectories(SECOND.unseen().resolve(instance.id()).resolve(".maestro"));
        BindProbe probe = new BindProbe(unseen);

        assertThat(probe.works(first, IMAGE)).isTrue();
        assertThat(probe.works(second, IMAGE)).isFalse();
        // Sockets in a directory that is not seen are not, either.
        assertThat(probe.isHere(first, IMAGE)).isTrue();
        assertThat(probe.isHere(second, IMAGE)).isFalse();
        // Asked once: this image could not say anything.
        assertThat(probe.works(first, "maestro-test/none")).isTrue();
        assertThat(probe.works(second, "maestro-test/none")).isFalse();
        assertThatThrownBy(() -> new BindProbe(unseen).works(second, "maestro-test/none"))
                .isInstanceOf(DockerException.class)
                .hasMessageContaining("maestro-test/none");
        assertThat(unseen).isEmptyDirectory();
        assertThat(first.containers()).isEmpty();
        assertThat(second.containers()).isEmpty();
        // A comma separates the settings of a mount.
        Path strange = Files.createDirectories(temporary.resolve("a,b/.maestro"));
        assertThat(new BindProbe(strange).works(first, IMAGE)).isTrue();
    }

    @Test
    void anEngineWithoutItsProgramMayBeBackLater() {
        DockerCli cli = new DockerCli(
                DockerHost.builder().program("/nonexistent/docker").build());
        assertThatThrownBy(() -> ClientStream.run(
                        cli, "streaming", List.of("version"), Duration.ofMinutes(1), out -> {}, in -> true))
                .isInstanceOf(DockerUnavailableException.class);
    }
}
