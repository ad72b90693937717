package io.maestro.docker;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.PreflightReport.Finding;
import io.maestro.docker.PreflightReport.Subject;
import io.maestro.docker.ProvisioningReport.Step;
import io.maestro.docker.ProvisioningReport.StepStatus;
import io.maestro.docker.internal.DockerCli;
import io.maestro.docker.internal.TestEngine;
import io.maestro.docker.internal.sandbox.HostUser;
import io.maestro.docker.testing.GitImage;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestContainer;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.testing.ChildJvm;
import io.maestro.testing.Full;
import io.maestro.testkit.ToolTester;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolArguments;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mockito.Mockito;

/** What {@link ProvisioningTest} and {@link ContainersToolTest} leave out: what is absent, fails, or is asked for in other words. */
@RequiresEngine
@Full("ProvisioningTest and ProvisioningRulesTest have what matters most")
class ProvisioningEdgeTest {
    private static final String BUSYBOX = "maestro-test/busybox:latest";
    private static final String KEY = "planted-key-77a0c1";

    /** Of this run: other runs share the engine. */
    private static final String PURPOSE = "edge-" + UUID.randomUUID().toString().substring(0, 8);

    @TempDir
    static Path directory;

    private static Path down;

    /** While it is there, the next start of a container finds the images of the purposes cleared. */
    private static Path clears;

    private static DockerHost host;
    private static Containers containers;
    private @Nullable Tool opened;

    @BeforeAll
    static void open() throws Exception {
        GitImage.require();
        down = directory.resolve("down");
        clears = directory.resolve("clears");
        host = DockerHost.builder()
                .program(client("""
                if [ -e '%s' ] && [ "$1" = info ]; then echo 'Cannot connect to the Docker daemon' >&2; exit 1; fi
                if [ "$1" = run ] && rm '%s' 2>/dev/null; then docker image rm "$(docker image ls -q 'maestro-purpose-%s-*')" >&2; fi
                case "$*" in
                'info --format {{json .}}') docker "$@" | sed 's/nvidia/other/g; s/"DiscoveredDevices"/"Others"/'; exit ;;
                'image ls '*'{{.Repository}}:{{.Tag}} --filter '*) docker "$@" | grep %s; exit 0 ;;
                esac
                """.formatted(down, clears, PURPOSE, PURPOSE)))
                .build();
        Path home = Files.createDirectories(directory.resolve("home"));
        Files.createDirectories(home.resolve(".config/git"));
        Files.writeString(home.resolve(".config/git/config"), "[user]\n\tname = Ada\n\temail = ada@example.org\n");
        ContainerRules.Builder rules = ContainerRules.builder().image(BUSYBOX);
        for (String end : List.of("-one", "-two")) {
            rules.purpose(Purpose.of(PURPOSE + end, BUSYBOX).with("echo > /made"));
        }
        containers = open("project", rules.build(), home);
    }

    /** The real client behind some lines of a shell. */
    private static String client(String lines) throws Exception {
        Path program = Files.createDirectories(directory.resolve("client" + lines.hashCode()))
                .resolve("docker");
        Files.writeString(program, "#!/bin/sh\n" + lines + "exec docker \"$@\"\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        return program.toString();
    }

    private static Containers open(String project, ContainerRules rules, Path home) {
        return Containers.on(host)
                .projectDirectory(directory.resolve(project))
                .rules(rules)
                .host(new HostUser(
                        Map.of(
                                "PATH",
                                System.getenv("PATH"),
                                "XDG_CONFIG_HOME",
                                home.resolve(".config").toString(),
                                "SOME_API_KEY",
                                KEY),
                        home))
                .open();
    }

    @AfterEach
    void destroy() throws Exception {
        Files.deleteIfExists(down);
        if (opened != null) {
            opened.close();
        }
        containers.destroyAll();
    }

    @AfterAll
    static void close() {
        if (containers != null) {
            // Where a test has failed before it did so.
            for (String end : List.of("-one", "-two")) {
                containers.clearCaches(Optional.of(PURPOSE + end));
            }
            containers.close();
        }
    }

    private static String out(ProvisionedContainer container, String line) {
        ExecResult result = container.run(ExecRequest.shell(line).build());
        assertThat(result.stderr().text() + result.exitCode()).as(line).isEqualTo("OptionalInt[0]");
        return result.stdout().text();
    }

    private static Step step(ProvisionedContainer container, String name) {
        return container.report().orElseThrow().step(name).orElseThrow();
    }

    private static ContainerRequest.Builder nothing() {
        return ContainerRequest.builder()
                .passthrough(EnvironmentPassthrough.none())
                .forwardGit(false)
                .forwardGitHub(false);
    }

    @Test
    void commandsAndJobsAreTheUsersThatWasNamed() {
        ProvisionedContainer root = containers.create(
                nothing().user("root").dotfile(".tool", "of root").build());
        assertThat(root.user()).startsWith("0");
        assertThat(out(root, "id -u; echo $HOME; cat /root/.tool")).isEqualTo("0\n/root\nof root");

        ProvisionedContainer named =
                containers.create(nothing().user("1234:567").build());
        assertThat(out(named, "id -u; id -g; echo $HOME; stat -c %u:%g /workspace"))
                .isEqualTo("1234\n567\n/home/maestro\n1234:567\n");
        assertThat(named.interactiveCommand()).contains("exec -it --user 1234:567 ");
        String job = named.startJob("id -u; id -g");
        TestEngine.await(() -> named.job(job, 0).state() == JobStatus.State.ENDED);
        assertThat(named.job(job, 0).output()).isEqualTo("1234\n567\n");
        // The program that keeps the container is root's all the same, as are its set-up commands.
        assertThat(new DockerCli(host)
                        .output(
                                "inspect",
                                "--format",
                                "{{.Config.User}}",
                                named.container().id()))
                .isEqualTo("0:0");
    }

    @Test
    void whatSucceedsIsToldAndWhatIsNotAskedForIsSkipped() {
        ProvisionedContainer full = containers.create(ContainerRequest.builder()
                .environment("SOME_API_KEY", "own")
                .file("/etc/one", "1")
                .file("/srv/deep/two", "2")
                .dotfile(".three", "3")
                .setUp("true")
                .build());
        assertThat(full.container().imageId())
                .isEqualTo(new DockerCli(host).output("image", "inspect", "--format", "{{.Id}}", BUSYBOX));
        for (String name :
                List.of("user", "environment", "forward_git", "dotfiles", "config_files", "setup_commands")) {
            assertThat(step(full, name).status()).as(name).isEqualTo(StepStatus.SUCCESS);
        }
        assertThat(step(full, "config_files").detail()).contains("2 of 2", "/etc/one", "/srv/deep/two");
        // What the request says wins over the host's, whose git has its settings in the other place.
        assertThat(out(full, "cat /etc/one /srv/deep/two ~/.three; echo $SOME_API_KEY; cat ~/.gitconfig; ls -A ~"))
                .startsWith("123own\n")
                .contains("name = \"Ada\"", "email = \"ada@example.org\"")
                .doesNotContain(".ssh");

        ProvisionedContainer bare = containers.create(nothing().build());
        for (String name : List.of(
                "forward_git", "forward_gh", "forward_ssh", "dotfiles", "repos", "config_files", "setup_commands")) {
            assertThat(step(bare, name).status()).as(name).isEqualTo(StepStatus.SKIPPED);
        }
        assertThat(step(bare, "forward_git").detail()).isEqualTo("not asked for");
        assertThat(bare.state().variables()).containsExactly("HOME");
        assertThat(bare.user()).as("without mounts").doesNotStartWith("0:");
    }

    @Test
    void aHostThatHasNoneIsNoFaultUnlessItWasAskedFor() throws Exception {
        Path home = Files.createDirectories(directory.resolve("empty"));
        ContainerRules rules = ContainerRules.builder().image(BUSYBOX).build();
        try (Containers poor = open("poor", rules, home)) {
            ProvisionedContainer silent = poor.create(ContainerRequest.builder().build());
            assertThat(silent.report().orElseThrow().succeeded()).isTrue();
            assertThat(step(silent, "forward_git"))
                    .returns(StepStatus.SKIPPED, Step::status)
                    .returns("the host's git has no user.name and no user.email", Step::detail);
            assertThat(step(silent, "forward_gh").status()).isEqualTo(StepStatus.SKIPPED);
            assertThat(step(silent, "forward_gh").detail()).contains("no GitHub CLI that is logged in");
            assertThat(out(silent, "ls -A ~")).isEmpty();

            ProvisionedContainer asked = poor.create(ContainerRequest.builder()
                    .forwardGit(true)
                    .forwardGitHub(true)
                    .image(GitImage.NAME)
                    .dotfilesRepository("file:///none")
                    .build());
            assertThat(step(asked, "forward_git").error()).contains("git config --global user.name");
            assertThat(step(asked, "forward_gh").status()).isEqualTo(StepStatus.FAILED);
            assertThat(step(asked, "forward_gh").error()).contains("gh auth login");
            assertThat(step(asked, "dotfiles").status()).isEqualTo(StepStatus.FAILED);
            assertThat(step(asked, "dotfiles").error()).contains("file:///none: exit code 128");
        }
    }

    @Test
    void aPatternMatchesTheWholeNameOfAVariable() {
        Map<String, String> all = Map.of(
                "OPENAI_API_KEY",
                "1",
                "SOME_API_KEY",
                "2",
                "SOME_API_KEYS",
                "3",
                "some_api_key",
                "4",
                "ANTHROPIC_BASE_URL",
                "5",
                "NOT_ANTHROPIC_",
                "6",
                "A.TOKEN",
                "7",
                "LD_TOKEN",
                "8");
        assertThat(EnvironmentPassthrough.auto().select(all, EnvironmentPassthrough.PATTERNS))
                .containsOnlyKeys("OPENAI_API_KEY", "SOME_API_KEY", "ANTHROPIC_BASE_URL");
        assertThat(EnvironmentPassthrough.auto().select(all, List.of("*"))).doesNotContainKeys("LD_TOKEN", "A.TOKEN");
        assertThat(EnvironmentPassthrough.auto().select(all, List.of())).isEmpty();
        assertThat(EnvironmentPassthrough.none().select(all, EnvironmentPassthrough.PATTERNS))
                .isEmpty();
    }

    @Test
    void someRepositoriesAreBetterThanNone() throws Exception {
        Path origin = Files.createDirectories(directory.resolve("origin"));
        Process made = new ProcessBuilder(
                        "sh",
                        "-c",
                        "git init -q . && echo a > a && git add . && git -c user.name=a -c user.email=a@b commit -qm one")
                .directory(origin.toFile())
                .inheritIO()
                .start();
        assertThat(made.waitFor()).isZero();
        Object owner = Files.getAttribute(origin, "unix:uid");
        ContainerRequest.Builder request = nothing()
                .image(GitImage.NAME)
                .user(owner + ":" + owner)
                .mount(Mount.bind(origin, "/origin").asReadOnly())
                .repository(new ClonedRepository("file:///origin", null, null))
                .repository(new ClonedRepository("file:///origin", "/opt/two", "cp a b"));
        ProvisionedContainer good = containers.create(request.build());
        assertThat(step(good, "repos").status())
                .as(step(good, "repos").toString())
                .isEqualTo(StepStatus.SUCCESS);
        assertThat(step(good, "repos").detail()).contains("2 of 2", "/workspace/origin", "/opt/two");
        assertThat(out(good, "cat /workspace/origin/a /opt/two/b")).isEqualTo("a\na\n");

        ProvisionedContainer some =
                containers.create(request.repository(new ClonedRepository("file:///none", null, "touch /never"))
                        .build());
        assertThat(step(some, "repos").status()).isEqualTo(StepStatus.PARTIAL);
        assertThat(step(some, "repos").detail()).contains("2 of 3");
        assertThat(step(some, "repos").error()).contains("file:///none: exit code 128");
        assertThat(out(some, "cat /opt/two/b; ls / | grep -c never || true")).isEqualTo("a\n0\n");
    }

    @Test
    void imagesOfOnePurposeOrOfAllAreRemoved() {
        for (String end : List.of("-one", "-two")) {
            ProvisionedContainer container =
                    containers.create(nothing().purpose(PURPOSE + end).build());
            assertThat(container.report().orElseThrow().toString()).contains(PURPOSE + end + ", installed now");
        }
        containers.destroyAll();
        assertThat(containers.clearCaches(Optional.of(PURPOSE + "-one")))
                .singleElement()
                .asString()
                .startsWith("maestro-purpose-" + PURPOSE + "-one:");
        assertThat(containers.clearCaches(Optional.empty()))
                .singleElement()
                .asString()
                .startsWith("maestro-purpose-" + PURPOSE + "-two:");
        assertThat(containers.clearCaches(Optional.empty())).isEmpty();
    }

    @Test
    void anImageThatAnotherInstanceClearsBeforeTheContainerIsStartedIsBuiltAgain() throws Exception {
        ContainerRequest request = nothing().purpose(PURPOSE + "-one").build();
        containers.create(request).destroy();
        Files.createFile(clears);
        assertThat(containers.create(request).report().orElseThrow().steps().stream()
                        .map(ProvisioningReport.Step::detail))
                .contains(PURPOSE + "-one, installed before", PURPOSE + "-one, installed now");
        assertThat(clears).doesNotExist();
        containers.destroyAll();
        containers.clearCaches(Optional.of(PURPOSE + "-one"));
    }

    @Test
    void aPersonGetsBashWhereItIsAndElseSh() throws Exception {
        Map<String, String> shells = Map.of(BUSYBOX, "busybox", TestContainer.DEBIAN, "bash");
        for (Map.Entry<String, String> shell : shells.entrySet()) {
            ProvisionedContainer container = containers.create(
                    nothing().image(shell.getKey()).environment("OWN", "it's").build());
            Process person = new ProcessBuilder(
                            "sh", "-c", container.interactiveCommand().replace(" -it ", " -i "))
                    .start();
            try (var in = person.getOutputStream()) {
                in.write("readlink /proc/$$/exe; echo $OWN; pwd\n".getBytes(StandardCharsets.UTF_8));
            }
            assertThat(new String(person.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .endsWith("/" + shell.getValue() + "\nit's\n/workspace\n");
        }
    }

    @Test
    void whatSomebodyElseRemovedIsGoneAndItsNameIsFree() {
        ContainerRequest request = nothing().name("one").build();
        ProvisionedContainer container = containers.create(request);
        new DockerCli(host).output("rm", "--force", container.container().id());
        assertThat(containers.provisioned()).isEmpty();
        assertThatThrownBy(() -> containers.container("one")).hasMessageContaining("there are none");
        assertThatThrownBy(container::state).hasMessageContaining("'one' is gone");
        container.destroy();
        ProvisionedContainer next = containers.create(request);
        assertThat(next).isNotEqualTo(container);
        assertThat(containers.provisioned()).containsExactly(next);
    }

    @Test
    void waitingCountsTheAttemptsThatItTook() throws Exception {
        ProvisionedContainer container = containers.create(nothing().build());
        assertThat(container.waitHealthy(
                        "echo >> /tmp/tries; [ $(wc -l < /tmp/tries) = 3 ] && echo up", Duration.ofMillis(1), 9))
                .isEqualTo(new ProvisionedContainer.Health(true, 3, "up"));
        assertThat(container.waitHealthy("echo why >&2; exit 7", Duration.ZERO, 2))
                .isEqualTo(new ProvisionedContainer.Health(false, 2, "exit code 7, why"));
    }

    private ToolFactory tool() throws Exception {
        ContainersTool made = ContainersTool.of(containers);
        for (String name : List.of("workspace", "read", "written")) {
            Path allowed = Files.createDirectories(directory.resolve(name));
            if (Files.getAttribute(allowed, "unix:uid").equals(0)) {
                Files.setAttribute(allowed, "unix:uid", 1000);
            }
            made.directory(allowed);
        }
        ToolFactory factory = made.build();
        opened = factory.create(context());
        return factory;
    }

    private static ToolContext context() {
        ToolContext context = Mockito.mock(ToolContext.class);
        Mockito.when(context.agentId()).thenReturn("coder-edge");
        Mockito.when(context.audience()).thenReturn(ToolAudience.CODER_CODING);
        return context;
    }

    private static ToolCall asked(Object... arguments) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("operation", arguments[0]);
        for (int i = 1; i < arguments.length; i += 2) {
            map.put(String.valueOf(arguments[i]), arguments[i + 1]);
        }
        return new ToolCall("1", "containers", ToolArguments.of(map), Duration.ofMinutes(2));
    }

    private String done(Object... arguments) throws Exception {
        ToolResult result = opened.execute(asked(arguments));
        assertThat(result.isError()).as(result.text()).isFalse();
        return result.text();
    }

    private String refused(Object... arguments) throws Exception {
        ToolResult result = opened.execute(asked(arguments));
        assertThat(result.isError()).as(result.text()).isTrue();
        return result.text();
    }

    @Test
    void theToolHasItsOperationsAndRefusesOthers() throws Exception {
        ToolFactory factory = tool();
        assertThat(factory.definition().name()).isEqualTo("containers");
        Map<?, ?> properties = (Map<?, ?>) factory.definition().input().asMap().get("properties");
        assertThat(properties.get("operation").toString())
                .contains("create", "exec_background", "wait_healthy", "cache_clear");
        assertThat(((Map<?, ?>) properties.get("gpu")).get("type")).isEqualTo("boolean");
        try (ToolTester tester =
                ToolTester.of(factory).directory(directory.resolve("workspace")).build()) {
            ToolResult result = tester.call(Map.of("operation", "explode"));
            assertThat(result.isError()).isTrue();
            assertThat(result.text()).contains("explode", "wait_healthy");
        }
        assertThat(refused("wait_healthy", "container", "x")).contains("'wait_healthy' needs health_command");
        assertThat(refused("wait_healthy", "health_command", "true")).contains("'wait_healthy' needs container");
        assertThat(done("list")).isEqualTo("There are none.");
    }

    @Test
    void theToolMountsDirectoriesAndRunsInOthers() throws Exception {
        tool();
        Path read = directory.resolve("read");
        Path written = directory.resolve("written");
        Files.writeString(read.resolve("file"), "text");
        done(
                "create",
                "name",
                "one",
                "mounts",
                List.of(
                        Map.of("host", read.toString(), "container", "/read"),
                        Map.of("host", written.toString(), "container", "/written", "read_only", false)));
        assertThat(done(
                        "exec",
                        "container",
                        "one",
                        "workdir",
                        "/read",
                        "command",
                        "pwd; cat file; echo; echo x > /written/new; echo x 2>&1 > new || echo refused"))
                .contains("/read\ntext\n", "refused");
        assertThat(written.resolve("new")).hasContent("x");
        assertThat(read.resolve("new")).doesNotExist();

        // By somebody else, so that the tool does not know.
        new DockerCli(host).output("kill", containers.list().get(0).id());
        assertThat(refused("exec", "container", "one", "command", "true")).startsWith("exec: ");
        assertThat(done("list")).isEqualTo("container one, does not run");
        assertThat(done("status", "container", "one", "health_check", true))
                .contains("running: false", "healthy: false", "exit_code: 137");
    }

    @Test
    void theToolLooksAtTheEngineBeforeItsFirstContainer() throws Exception {
        tool();
        Files.createFile(down);
        assertThat(refused("create", "name", "one"))
                .startsWith("create: containers cannot be made here:\n")
                .contains("FAILED ENGINE: ", "Cannot connect");
        assertThat(containers.list()).isEmpty();
        Files.delete(down);
        done("create", "name", "one");
        Files.createFile(down);
        done("create", "name", "two");
    }

    /** Looks as a host does that lets an engine be started. */
    static final class Mending {
        public static void main(String[] arguments) {
            System.out.println(
                    Preflight.mending(DockerHost.builder().program(arguments[0]).build()));
        }
    }

    @Test
    void anEngineThatDoesNotRunIsStartedWhereThatIsAllowed() throws Exception {
        Path off = Files.createFile(directory.resolve("off"));
        String program = client("if [ \"$1\" = info ] && [ -e '" + off
                + "' ]; then echo 'Cannot connect to the Docker daemon' >&2; exit 1; fi\n");
        assertThat(Preflight.of(DockerHost.builder().program(program).build()).ready())
                .isFalse();
        assertThat(off).exists();

        Path fake = Files.createDirectories(directory.resolve("fake")).resolve("systemctl");
        Files.writeString(
                fake,
                "#!/bin/sh\n[ \"$*\" = '--no-ask-password start docker' ] && { [ -e '" + off + ".stays' ] || rm '" + off
                        + "'; }\n");
        Files.setPosixFilePermissions(fake, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path stays = Files.createFile(Path.of(off + ".stays"));
        assertThat(mended(program, fake)).contains("FAILED ENGINE: ", "Cannot connect");
        Files.delete(stays);
        assertThat(mended(program, fake))
                .contains("OK ENGINE: it answers", "it did not run, and was started by systemd", "OK VERSIONS: ");
    }

    private static String mended(String program, Path systemctl) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(ChildJvm.command(
                        List.of("-Dorg.slf4j.simpleLogger.defaultLogLevel=off"), Mending.class, program))
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().merge("PATH", systemctl.getParent().toString(), (path, first) -> first + ":" + path);
        return new String(builder.start().getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    @Test
    void aMachineWithoutGpusIsReadyAllTheSame() {
        PreflightReport report = Preflight.of(host);
        Finding none = gpu(report);
        assertThat(none.status()).isEqualTo(PreflightReport.Status.INFORMATION);
        assertThat(none.detail()).isEqualTo("none that the engine tells of");
        assertThat(report.ready()).isTrue();
    }

    @RequiresEngine("podman")
    @Test
    void ofPodmanNoGpusAreKnown() {
        PreflightReport report =
                Preflight.of(DockerHost.builder().program("podman").build());
        assertThat(gpu(report).status()).isEqualTo(PreflightReport.Status.INFORMATION);
        assertThat(report.ready()).isTrue();
    }

    private static Finding gpu(PreflightReport report) {
        return report.findings().stream()
                .filter(finding -> finding.subject() == Subject.GPU)
                .findFirst()
                .orElseThrow();
    }
}
