package io.maestro.docker;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.internal.DockerCli;
import io.maestro.docker.internal.Labels;
import io.maestro.docker.internal.TestEngine;
import io.maestro.docker.internal.sandbox.HostUser;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestImages;
import io.maestro.exec.ExecRequest;
import io.maestro.testing.Full;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolArguments;
import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mockito.Mockito;

/** What must hold whatever is asked for: secrets, whose a thing is, what is left behind. */
@RequiresEngine
class ProvisioningRulesTest {
    private static final String BUSYBOX = "maestro-test/busybox:latest";
    private static final String KEY = "planted-key-91f3c0de";

    @TempDir
    Path directory;

    private final DockerCli cli = new DockerCli(DockerHost.local());
    private Map<String, String> variables = Map.of("SOME_API_KEY", KEY, "SOME_TOKEN", "planted-token-77");
    private Containers containers;

    @BeforeEach
    void open() {
        containers = open(ContainerRules.builder().image(BUSYBOX).build());
    }

    private Containers open(ContainerRules rules) {
        return Containers.on(DockerHost.local())
                .projectDirectory(directory.resolve("project"))
                .rules(rules)
                .host(new HostUser(variables, null))
                .open();
    }

    @AfterEach
    void close() {
        try {
            containers.destroyAll();
            containers.snapshots().forEach(containers::removeSnapshot);
        } catch (IllegalStateException e) {
            // A test has closed them.
            assertThat(e).hasMessageContaining("were closed");
        }
        containers.close();
    }

    private static String out(ProvisionedContainer container, String line) {
        return container.run(ExecRequest.shell(line).build()).stdout().text();
    }

    @Test
    void aStepThatFailsSaysNoSecret() {
        ProvisionedContainer container = containers.create(ContainerRequest.builder()
                .environment("LITERAL", "planted-literal-5a5a")
                .environment("A_PART", "planted-literal")
                .setUp("env >&2; exit 1")
                .setUp("echo $LITERAL; exit 2")
                .build());
        ProvisioningReport report = container.report().orElseThrow();
        assertThat(report.toString()).contains("exit code 1", "[REDACTED]").doesNotContain("planted", "5a5a");
    }

    @Test
    void variablesAreKeptInMemoryOrNotAtAll() {
        assertThatThrownBy(() -> ContainerRequest.builder().mount(Mount.bind(directory, "/var/run/maestro")))
                .hasMessageContaining("nothing is mounted at /var/run/maestro");
        ProvisionedContainer container =
                containers.create(ContainerRequest.builder().build());
        // The user reads them, and can't make the next life believe others.
        assertThat(
                        out(
                                container,
                                "echo x > /run/maestro/variables.sh || echo refused; grep -c planted /run/maestro/variables.sh"))
                .startsWith("refused");
        assertThat(out(container, "cat /proc/mounts | grep ' /run/maestro '")).startsWith("tmpfs");
    }

    @Test
    void rootIsForThoseWhoMayHaveIt() throws Exception {
        containers.close();
        containers =
                open(ContainerRules.builder().image(BUSYBOX).allowRoot(false).build());
        for (String root : List.of("root", "0:0", "00:0")) {
            assertThatThrownBy(() -> containers.create(
                            ContainerRequest.builder().user(root).build()))
                    .as(root)
                    .hasMessageContaining("allowRoot");
        }
        Path mounted = Files.createDirectories(directory.resolve("mounted"));
        ProvisionedContainer container =
                containers.create(ContainerRequest.builder().workspace(mounted).build());
        assertThat(out(container, "id -u")).isNotEqualTo("0\n");
    }

    /** They are run as root, with more rights than a container has. */
    @Full("builds an image")
    @Test
    void programsOfAnImageThatARequestNamesGiveNoCacheAway() {
        String image = TestImages.ofDocker()
                .build(
                        "own-shell",
                        "FROM " + BUSYBOX + "\nRUN rm /bin/sh && printf '#!/bin/busybox sh\\ntouch /state/was-here"
                                + " 2>/dev/null\\nexec busybox sh \"$@\"' > /bin/sh && chmod 755 /bin/sh\n",
                        Map.of());
        containers.close();
        containers = open(ContainerRules.builder()
                .image(BUSYBOX)
                .purpose(Purpose.of("cached", BUSYBOX).caching("things", ".things"))
                .build());
        ProvisionedContainer own = containers.create(
                ContainerRequest.builder().purpose("cached").image(image).build());
        assertThat(out(own, "echo x > ~/.things/mine; ls ~/.things")).isEqualTo("mine\n");
        own.destroy();
        containers.clearCaches(Optional.of("cached"));
    }

    @Full("DiskTest fills a disk, too")
    @Test
    void whoFillsTheDiskIsEndedAndNobodyElse() throws Exception {
        containers.close();
        containers =
                open(ContainerRules.builder().image(BUSYBOX).diskBytes(8 << 20).build());
        ProvisionedContainer large =
                containers.create(ContainerRequest.builder().name("large").build());
        ProvisionedContainer small =
                containers.create(ContainerRequest.builder().name("small").build());
        out(small, "dd if=/dev/zero of=/tmp/a bs=1024k count=4 2>&1");
        large.startJob("dd if=/dev/zero of=/tmp/a bs=1024k count=64; sleep 300");
        TestEngine.await(() -> !large.container().isRunning());
        assertThatThrownBy(() -> out(large, "true"))
                .isInstanceOf(DockerException.class)
                .hasMessageContaining("'large' does not run")
                .hasMessageContaining("no more than 8 MB may be");
        assertThat(out(small, "ls /tmp/a")).isEqualTo("/tmp/a\n");
        large.destroy();
        assertThat(out(
                        containers.create(
                                ContainerRequest.builder().name("large").build()),
                        "echo well"))
                .isEqualTo("well\n");
    }

    @Test
    @Full("filesAreCopiedAndASnapshotIsRestored has owners of files")
    void whatIsBelowAMountKeepsItsOwner() throws Exception {
        Path mounted =
                Files.createDirectories(directory.resolve("mounted/inner")).getParent();
        Files.setAttribute(mounted, "unix:uid", 4321);
        ProvisionedContainer container = containers.create(ContainerRequest.builder()
                .mount(Mount.bind(mounted, "/workspace"))
                .workingDirectory("/workspace/inner")
                .user("77:77")
                .build());
        assertThat(out(container, "id -u")).isEqualTo("77\n");
        assertThat(Files.getAttribute(mounted, "unix:uid")).isEqualTo(4321);
        assertThat(Files.getAttribute(mounted.resolve("inner"), "unix:uid")).isEqualTo(0);
    }

    @Test
    void strangersFilesAreTrustedByNobodyAfterASnapshotEither() {
        ProvisionedContainer strange = containers.create(
                ContainerRequest.builder().purpose("clean").image(BUSYBOX).build());
        strange.snapshot("strange");
        ProvisionedContainer restored =
                containers.create(ContainerRequest.builder().snapshot("strange").build());
        assertThat(restored.state().variables()).containsExactly("HOME");
        assertThatThrownBy(() -> containers.create(ContainerRequest.builder()
                        .image(restored.container().imageId())
                        .build()))
                .hasMessageContaining("is a snapshot; name it as one");
        assertThat(containers
                        .create(ContainerRequest.builder()
                                .purpose("clean")
                                .image(BUSYBOX)
                                .passthrough(EnvironmentPassthrough.auto())
                                .build())
                        .state()
                        .variables())
                .containsExactly("HOME");
        restored.snapshot("again");
        assertThat(containers
                        .create(ContainerRequest.builder().snapshot("again").build())
                        .state()
                        .variables())
                .containsExactly("HOME");
    }

    @Test
    @Full("two images; variablesAreKeptInMemoryOrNotAtAll and filesAreCopiedAndASnapshotIsRestored have the parts")
    void aSnapshotHasNoVariablesOfAServiceAndTakesThePlaceOfItsFormer() {
        ProvisionedContainer service = containers.create(ContainerRequest.builder()
                .image(BUSYBOX)
                .imageProgram(false)
                .environment("PASSWORD", "planted-password-1")
                .build());
        String first = service.snapshot("service");
        out(service, "echo more > /workspace/more");
        String second = service.snapshot("service");
        assertThat(second).isNotEqualTo(first);
        assertThat(cli.run("image", "inspect", first).succeeded()).isFalse();
        assertThat(cli.output("image", "inspect", second)).doesNotContain("planted");
        assertThat(containers.snapshots()).containsExactly("service");
        assertThatThrownBy(() -> containers.create(
                        ContainerRequest.builder().snapshot("none").build()))
                .hasMessageContaining("there is no snapshot 'none'; there are [service]");
    }

    @Test
    void snapshotsAndContainersAreTheirOwnersAlone() throws Exception {
        Tool one = tool("coder-001");
        Tool two = tool("coder-002");
        call(one, Map.of("operation", "create", "name", "box"));
        call(one, Map.of("operation", "snapshot", "container", "box", "name", "mine"));
        assertThat(call(two, Map.of("operation", "restore", "snapshot", "mine")))
                .contains("there is no snapshot 'mine'");
        assertThat(containers.snapshots()).isEmpty();
        assertThat(call(two, Map.of("operation", "destroy", "container", "box")))
                .contains("there are none");
        one.close();
        assertThat(containers.list()).isEmpty();
        assertThat(call(one, Map.of("operation", "create"))).contains("nothing is made any more");
        assertThat(cli.output(
                        "image", "ls", "--quiet", "--filter", "label=" + Labels.RECIPE + "=snapshot coder-001 mine"))
                .isEmpty();
    }

    private Tool tool(String agent) {
        ToolContext context = Mockito.mock(ToolContext.class);
        Mockito.when(context.agentId()).thenReturn(agent);
        return ContainersTool.of(containers).build().create(context);
    }

    private static String call(Tool tool, Map<String, ?> arguments) throws Exception {
        return tool.execute(new ToolCall("1", "containers", ToolArguments.of(arguments), Duration.ofMinutes(1)))
                .text();
    }

    @Test
    @Full("anInterruptedStartLeavesNothing has the start")
    void oneWhoGivesUpOrClosesGetsNothingAndNothingIsLeft() throws Exception {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        CountDownLatch runs = new CountDownLatch(1);
        Thread creator = new Thread(() -> {
            try {
                containers.create(ContainerRequest.builder().setUp("sleep 600").build(), step -> {
                    if (step.name().equals("container")) {
                        runs.countDown();
                    }
                });
            } catch (RuntimeException e) {
                thrown.set(e);
                runs.countDown();
            }
        });
        creator.start();
        runs.await();
        creator.interrupt();
        creator.join();
        assertThat(thrown.get()).isInstanceOf(ContainerStartException.class).hasMessageContaining("nothing is left");
        assertThat(containers.list()).isEmpty();

        Tool agent = tool("coder-001");
        AtomicReference<Throwable> late = new AtomicReference<>();
        Thread other = new Thread(() -> {
            try {
                containers.create(ContainerRequest.builder().build(), step -> {
                    if (step.name().equals("image")) {
                        containers.close();
                    }
                });
            } catch (RuntimeException e) {
                late.set(e);
            }
        });
        other.start();
        other.join();
        assertThat(late.get()).isNotNull();
        assertThat(call(agent, Map.of("operation", "create"))).contains("nothing is made any more");
        containers = open(ContainerRules.builder().image(BUSYBOX).build());
        assertThat(containers.list()).isEmpty();
    }

    @Test
    @Full("a race; anInterruptedStartLeavesNothing has the start")
    void whatIsDestroyedWhileItIsMadeIsNotGivenOut() {
        assertThatThrownBy(() -> containers.create(
                        ContainerRequest.builder().name("early").build(), step -> {
                            if (step.name().equals("user")) {
                                containers.container("early").destroy();
                            }
                        }))
                .hasMessageContaining("destroyed while it was made");
        assertThat(containers.list()).isEmpty();
    }

    @Full("SweepTest has what is left of a container that is gone")
    @Test
    void whatSomebodyElseRemovesTakesItsServicesWithIt() {
        ProvisionedContainer container = containers.create(ContainerRequest.builder()
                .composeContent("services:\n  web:\n    image: " + BUSYBOX + "\n    command: [sleep, \"1000\"]\n")
                .build());
        assertThat(container.state().services()).containsExactly("web running");
        container.container().remove();
        assertThat(containers.provisioned()).isEmpty();
        assertThat(containers.list()).isEmpty();
    }

    @Test
    void whatIsPersistentNeedsNothingThatEnds() {
        containers.createNetwork("net", true);
        assertThatThrownBy(() -> ContainerRequest.builder()
                        .persistent(true)
                        .network("net")
                        .build())
                .hasMessageContaining("both end with their Containers");
        assertThatThrownBy(() -> ContainerRequest.builder()
                        .persistent(true)
                        .forwardSsh(true)
                        .build())
                .hasMessageContaining("SSH agent");
        assertThatThrownBy(() -> ContainerRequest.builder()
                        .persistent(true)
                        .composeContent("services: {}")
                        .build())
                .hasMessageContaining("no services");
        containers.destroyNetwork("net");
        assertThat(Labels.isLasting(Map.of(Labels.KEEP, "box", Labels.ROLE, "box")))
                .isTrue();
        assertThat(Labels.isLasting(Map.of(Labels.KEEP, "box", Labels.ROLE, "coding")))
                .isFalse();
    }

    @Test
    void theSshAgentIsReachedAndItsWayEndsWithTheContainer() throws Exception {
        Path socket = directory.resolve("agent.sock");
        try (ServerSocketChannel agent = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            agent.bind(UnixDomainSocketAddress.of(socket));
            Thread echo = new Thread(() -> {
                try (SocketChannel channel = agent.accept()) {
                    ByteBuffer buffer = ByteBuffer.allocate(64);
                    channel.read(buffer);
                    channel.write(buffer.flip());
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            echo.setDaemon(true);
            echo.start();
            variables = Map.of("SSH_AUTH_SOCK", socket.toString());
            containers.close();
            containers = open(ContainerRules.builder().image(BUSYBOX).build());
            ProvisionedContainer container = containers.create(
                    ContainerRequest.builder().forwardSsh(true).build());
            assertThat(container.report().orElseThrow().succeeded()).isTrue();
            // busybox's nc knows no sockets of this kind; that it is there, is the user's, and cannot be exchanged is
            // seen.
            assertThat(
                            out(
                                    container,
                                    "test -S $SSH_AUTH_SOCK && stat -c %u:%a $SSH_AUTH_SOCK; touch /run/maestro-ssh/x || echo no"))
                    .isEqualTo("1000:700\nno\n");
            Path passed = ways().get(0);
            try (SocketChannel client = SocketChannel.open(UnixDomainSocketAddress.of(passed.resolve("agent")))) {
                client.write(ByteBuffer.wrap("sign".getBytes(StandardCharsets.UTF_8)));
                client.shutdownOutput();
                ByteBuffer answer = ByteBuffer.allocate(64);
                while (client.read(answer) >= 0) {
                    // Until the agent has ended its answer.
                }
                assertThat(new String(answer.array(), 0, answer.position(), StandardCharsets.UTF_8))
                        .isEqualTo("sign");
            }
            container.destroy();
            assertThat(passed).doesNotExist();
            assertThatThrownBy(() -> ContainerRequest.builder().user("x").build())
                    .hasMessageContaining("uid:gid");
        }
    }

    private static List<Path> ways() throws Exception {
        try (Stream<Path> all = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return all.filter(path -> String.valueOf(path.getFileName()).startsWith("maestro-ssh"))
                    .sorted((a, b) -> b.toFile().lastModified() > a.toFile().lastModified() ? 1 : -1)
                    .toList();
        }
    }

    @Full("ComposeStackTest runs services, whatAKilledProgramLeft of ContainersTest removes them")
    @Test
    void servicesRunBesideAContainerAndEndWithIt() {
        String yaml = "services:\n  web:\n    image: " + BUSYBOX
                + "\n    command: [sh, -c, \"mkdir /tmp/w; echo served > /tmp/w/p; exec httpd -f -p 8000 -h /tmp/w\"]\n";
        ProvisionedContainer container = containers.create(
                ContainerRequest.builder().name("app").composeContent(yaml).build());
        ProvisioningReport report = container.report().orElseThrow();
        assertThat(report.succeeded()).as(report.toString()).isTrue();
        assertThat(report.step("compose").orElseThrow().detail()).startsWith("1 services: [web running]");
        TestEngine.await(() -> out(container, "wget -qO- http://web:8000/p").equals("served\n"));
        assertThat(container.state().services()).containsExactly("web running");
        container.destroy();
        assertThat(containers.list()).isEmpty();
        assertThat(directory.resolve("project/.maestro/box-services/files")).isEmptyDirectory();

        ProvisionedContainer refused = containers.create(ContainerRequest.builder()
                .composeContent(yaml + "    privileged: true\n")
                .build());
        assertThat(refused.report().orElseThrow().step("compose").orElseThrow().error())
                .contains("privileged");
        assertThatThrownBy(() -> ContainerRequest.builder()
                        .composeContent(yaml)
                        .composeFile(directory)
                        .build())
                .hasMessageContaining("not both");
    }
}
