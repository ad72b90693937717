package io.maestro.docker;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.ProvisioningReport.StepStatus;
import io.maestro.docker.internal.DockerCli;
import io.maestro.docker.internal.TestEngine;
import io.maestro.docker.internal.sandbox.HostUser;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.testing.Full;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/** Containers that are made on request, and what is put into them, as far as engines differ. */
@TestInstance(Lifecycle.PER_CLASS)
abstract class ProvisioningContract {
    private static final String KEY = "planted-key-3c1f9d2e7a";
    private static final String TOKEN = "planted-token-8b6d04aa51";
    static final String LITERAL = "planted literal 'with' \"quotes\" 77f3\nand a second line";

    /** The engine; its images of the tests, and one that has git. */
    private final DockerHost host;

    final String busybox;
    final String withGit;
    final DockerCli cli;

    Path directory;

    Containers containers;

    ProvisioningContract(DockerHost host, String busybox, String withGit) {
        this.host = host;
        this.busybox = busybox;
        this.withGit = withGit;
        this.cli = new DockerCli(host);
    }

    @BeforeAll
    void open(@TempDir Path temporary) throws Exception {
        directory = temporary;
        containers = open("project", ContainerRules.builder().image(busybox).build());
    }

    Containers open(String project, ContainerRules rules) throws Exception {
        Path home = Files.createDirectories(directory.resolve("home"));
        Files.writeString(
                home.resolve(".gitconfig"),
                "[user]\n\tname = Ada \\\"A\\\" Lovelace\n[include]\n\tpath = more\n[credential]\n\thelper = /bin/false\n");
        Files.writeString(home.resolve("more"), "[user]\n\temail = ada@example.org\n");
        Files.createDirectories(home.resolve(".ssh"));
        Files.writeString(home.resolve(".ssh/known_hosts"), "example.org ssh-ed25519 AAAA\n");
        Files.writeString(home.resolve(".ssh/id_ed25519"), "never copied");
        Map<String, String> variables = Map.of(
                "PATH",
                System.getenv("PATH"),
                "OPENAI_API_KEY",
                KEY,
                "GH_TOKEN",
                TOKEN,
                "HTTP_PROXY",
                "http://proxy.example.org:3128",
                "EDITOR",
                "vi",
                "LD_PRELOAD",
                "/none.so");
        return Containers.on(host)
                .projectDirectory(directory.resolve(project))
                .rules(rules)
                .host(new HostUser(variables, home))
                .open();
    }

    @AfterEach
    void destroy() {
        containers.destroyAll();
    }

    @AfterAll
    void close() {
        containers.snapshots().forEach(containers::removeSnapshot);
        containers.close();
    }

    static String out(ProvisionedContainer container, String line) {
        ExecResult result = container.run(ExecRequest.shell(line).build());
        assertThat(result.stderr().text() + result.exitCode()).as(line).isEqualTo("OptionalInt[0]");
        return result.stdout().text();
    }

    static StepStatus status(ProvisionedContainer container, String step) {
        return container.report().orElseThrow().step(step).orElseThrow().status();
    }

    @Test
    @Full("commandsAreAnOrdinaryUsersWithoutRightsAndSetUpIsRoots has the identity and a container without more wishes")
    void aContainerWithoutWishesHasANameAndTheHostsIdentity() {
        ProvisionedContainer container =
                containers.create(ContainerRequest.builder().image(withGit).build());

        assertThat(container.name()).isEqualTo("box-1");
        assertThat(container.report().orElseThrow().succeeded())
                .as(container.report().toString())
                .isTrue();
        assertThat(container.report().orElseThrow().steps())
                .extracting(ProvisioningReport.Step::name)
                .containsExactly(
                        "image",
                        "container",
                        "user",
                        "environment",
                        "forward_git",
                        "forward_gh",
                        "forward_ssh",
                        "dotfiles",
                        "repos",
                        "config_files",
                        "setup_commands");
        assertThat(out(
                        container,
                        "pwd; git config user.name; git config user.email; cat /etc/ssh/ssh_known_hosts; ls -A ~"))
                .isEqualTo(
                        "/workspace\nAda \"A\" Lovelace\nada@example.org\nexample.org ssh-ed25519 AAAA\n.gitconfig\n");
        assertThat(out(container, "git config --get-all credential.helper || true"))
                .isEmpty();
        assertThat(out(container, "echo url=https://github.com | git credential fill | grep password"))
                .isEqualTo("password=" + TOKEN + "\n");
        assertThat(out(container, "touch here ~/there; echo $OPENAI_API_KEY $HTTP_PROXY $EDITOR $LD_PRELOAD"))
                .isEqualTo(KEY + " http://proxy.example.org:3128\n");
    }

    @Test
    void commandsAreAnOrdinaryUsersWithoutRightsAndSetUpIsRoots() throws Exception {
        Path files = Files.createDirectories(directory.resolve("owned"));
        Files.setAttribute(files, "unix:uid", 4321);
        Files.setAttribute(files, "unix:gid", 4322);
        ProvisionedContainer container = containers.create(ContainerRequest.builder()
                .workspace(files)
                .setUp("chown 77:78 /opt 2>/dev/null || mkdir /opt && chown 77:78 /opt && id -u > /root-was-here")
                .setUp("exit 3")
                .build());

        assertThat(container.user()).isEqualTo("4321:4322");
        assertThat(out(container, "id -u; id -g; id -un; grep CapEff /proc/self/status; grep NoNew /proc/self/status"))
                .isEqualTo("4321\n4322\nmaestro\nCapEff:\t0000000000000000\nNoNewPrivs:\t1\n");
        assertThat(out(container, "echo text > made; stat -c %u:%g /opt; cat /root-was-here"))
                .isEqualTo("77:78\n0\n");
        assertThat(Files.getAttribute(files.resolve("made"), "unix:uid")).isEqualTo(4321);
        ProvisioningReport.Step setUp =
                container.report().orElseThrow().step("setup_commands").orElseThrow();
        assertThat(setUp.status()).isEqualTo(StepStatus.PARTIAL);
        assertThat(setUp.error()).contains("exit 3", "exit code 3");
        assertThat(container.report().orElseThrow().succeeded()).isFalse();
        assertThat(container
                        .rootExecutor()
                        .run(ExecRequest.shell("chown 5:5 /opt").build())
                        .succeeded())
                .isTrue();
    }

    @Test
    void noSecretIsInWhatOthersSee() throws Exception {
        List<ProvisioningReport.Step> told = new ArrayList<>();
        ProvisionedContainer container = containers.create(
                ContainerRequest.builder()
                        .name("holds-secrets")
                        .image(withGit)
                        .environment("OWN", LITERAL)
                        .setUp("true")
                        .build(),
                told::add);
        String snapshot = container.snapshot("holds-secrets");
        String seen = told.toString()
                + container.report()
                + container.state()
                + container.interactiveCommand()
                + cli.output("inspect", container.container().id())
                + cli.output("logs", container.container().id())
                + cli.output("inspect", snapshot)
                + cli.output("history", "--no-trunc", snapshot)
                + cli.output(
                        "run",
                        "--rm",
                        "--entrypoint",
                        "sh",
                        snapshot,
                        "-c",
                        "grep -rl planted / --exclude-dir=proc" + " --exclude-dir=sys 2>/dev/null | head; env");
        assertThat(seen).doesNotContain(KEY, TOKEN, "planted");
        assertThat(cli.run("run", "--rm", "--entrypoint", "ls", snapshot, "/run/maestro")
                        .stdout()
                        .text())
                .isEmpty();
        containers.removeSnapshot("holds-secrets");
        // The command for a person has them all the same.
        String line = container.interactiveCommand().replace(" -it ", " ");
        Process shell = new ProcessBuilder(
                        "sh", "-c", line.replace("exec \"$(command -v bash || echo sh)\"", "echo $OPENAI_API_KEY"))
                .start();
        assertThat(new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo(KEY + "\n");
    }

    @Test
    void privilegesAreGivenWhereTheRulesAllowThem() throws Exception {
        ContainerRules rules = ContainerRules.builder()
                .image(busybox)
                .allowPrivileged(true)
                .allowHostNetwork(true)
                .allowGpu(true)
                .build();
        try (Containers free = open("free", rules)) {
            ProvisionedContainer container =
                    free.create(ContainerRequest.builder().network("host").build());
            assertThat(cli.output(
                            "inspect",
                            "--format",
                            "{{.HostConfig.NetworkMode}}",
                            container.container().id()))
                    .isEqualTo("host");
            // This machine has none, and the engine says so.
            assertThatThrownBy(() ->
                            free.create(ContainerRequest.builder().gpu(true).build()))
                    .isInstanceOf(ContainerStartException.class)
                    .hasMessageMatching("(?s).*(device driver|CDI devices).*");
        }
    }

    @Test
    void whatIsPersistentIsFoundInTheNextLifeWithItsVariablesAndJobs() throws Exception {
        ContainerRules rules = ContainerRules.builder().image(busybox).build();
        String job;
        try (Containers first = open("lasting", rules)) {
            ProvisionedContainer container = first.create(ContainerRequest.builder()
                    .name("stays")
                    .persistent(true)
                    .workingDirectory("/srv")
                    .environment("OWN", LITERAL)
                    .build());
            first.create(ContainerRequest.builder().name("goes").build());
            job = container.startJob(
                    "echo begun; while [ ! -e /tmp/go ]; do sleep 0.05; done; printf %s \"$OWN\"; exit 6");
        }
        try (Containers second = open("lasting", rules)) {
            assertThat(second.provisioned())
                    .extracting(ProvisionedContainer::name)
                    .containsExactly("stays");
            ProvisionedContainer container = second.container("stays");
            assertThat(container.state().persistent()).isTrue();
            assertThat(out(container, "pwd; printf %s \"$OWN\"")).isEqualTo("/srv\n" + LITERAL);
            assertThat(container.job(job, 0).state()).isEqualTo(JobStatus.State.RUNNING);
            out(container, "touch /tmp/go");
            TestEngine.await(() -> container.job(job, 0).state() == JobStatus.State.ENDED);
            assertThat(container.job(job, 0).exitCode()).hasValue(6);
            assertThat(container.job(job, 0).output()).isEqualTo("begun\n" + LITERAL);
            second.destroyAll();
            assertThat(second.provisioned()).isEmpty();
        }
    }

    @Test
    void containersOfANetworkFindEachOtherAndWaitForEachOther() throws Exception {
        containers.createNetwork("stack", true);
        try {
            ProvisionedContainer web = containers.create(
                    ContainerRequest.builder().name("web").network("stack").build());
            ProvisionedContainer client = containers.create(ContainerRequest.builder()
                    .name("client")
                    .network("stack")
                    .host("elsewhere", "192.0.2.7")
                    .build());
            assertThat(client.waitHealthy("wget -qO- http://web:8000/page", Duration.ofMillis(1), 2))
                    .satisfies(health -> assertThat(health.healthy()).isFalse())
                    .satisfies(health -> assertThat(health.attempts()).isEqualTo(2))
                    .satisfies(health -> assertThat(health.detail()).contains("exit code 1"));
            web.startJob("mkdir -p /tmp/www; echo hello > /tmp/www/page; exec httpd -f -p 8000 -h /tmp/www");
            assertThat(client.waitHealthy("wget -qO- http://web:8000/page", Duration.ofMillis(50), 200)
                            .detail())
                    .isEqualTo("hello");
            client.addHosts(Map.of("db.example.org", "192.0.2.8", "elsewhere", "192.0.2.9"));
            assertThat(out(client, "grep 192.0.2 /etc/hosts | tr '\\t' ' ' | sort"))
                    .isEqualTo("192.0.2.8 db.example.org\n192.0.2.9 elsewhere\n");
            assertThat(client.state().network()).isEqualTo("stack");
            assertThatThrownBy(() -> containers.createNetwork("stack", false)).hasMessageContaining("already");
            assertThatThrownBy(() -> containers.createNetwork("host", false)).hasMessageContaining("taken");
            assertThatThrownBy(() -> containers.create(
                            ContainerRequest.builder().network("none-such").build()))
                    .hasMessageContaining("there is no network 'none-such'");
        } finally {
            containers.destroyAll();
            containers.destroyNetwork("stack");
        }
    }

    @Test
    void filesAreCopiedAndASnapshotIsRestored() throws Exception {
        Path tree = Files.createDirectories(directory.resolve("tree/inner"));
        Files.writeString(tree.resolve("file"), "text");
        ProvisionedContainer container =
                containers.create(ContainerRequest.builder().port(8080, 0).build());
        container.copyIn(directory.resolve("tree"), "/workspace/tree");
        out(container, "echo more > tree/inner/new");
        Path back = directory.resolve("back");
        container.copyOut("/workspace/tree", back);
        assertThat(back.resolve("inner/new")).hasContent("more");
        assertThat(container.state().ports())
                .hasSize(1)
                .hasEntrySatisfying(8080, at -> assertThat(at).startsWith("127.0.0.1:"));

        container.snapshot("half-done");
        assertThat(containers.snapshots()).containsExactly("half-done");
        ProvisionedContainer restored = containers.create(
                ContainerRequest.builder().snapshot("half-done").build());
        assertThat(out(restored, "cat /workspace/tree/inner/new")).isEqualTo("more\n");
        assertThatThrownBy(() -> containers.removeSnapshot("half-done")).isInstanceOf(DockerException.class);
        restored.destroy();
        containers.removeSnapshot("half-done");
        assertThat(containers.snapshots()).isEmpty();
        assertThatThrownBy(() -> container.snapshot("../x")).hasMessageContaining("no name");
    }
}
