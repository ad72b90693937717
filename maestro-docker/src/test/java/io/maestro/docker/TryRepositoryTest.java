package io.maestro.docker;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.ProvisioningReport.StepStatus;
import io.maestro.docker.internal.DockerCli;
import io.maestro.docker.internal.TestEngine;
import io.maestro.docker.internal.sandbox.HostUser;
import io.maestro.docker.internal.sandbox.devcontainer.DevContainerSample;
import io.maestro.docker.testing.GitImage;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestImages;
import io.maestro.docker.testing.TestRegistry;
import io.maestro.exec.ExecRequest;
import io.maestro.testing.Campaign;
import io.maestro.testing.Full;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolArguments;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mockito.Mockito;

/** Repositories of strangers, from a git server in a container of its own. */
@RequiresEngine
class TryRepositoryTest {
    private static final DockerCli CLI = new DockerCli(DockerHost.local());

    @TempDir
    static Path directory;

    private static Containers containers;
    private static ProvisionedContainer server;

    /** The only registry that images of strangers are fetched from. */
    private static TestRegistry registry;

    @BeforeAll
    static void open() throws Exception {
        GitImage.require();
        registry = new TestRegistry();
        ContainerRules.Builder rules = ContainerRules.builder()
                .image(GitImage.NAME)
                .registries(List.of(registry.name("").replace("/", "")));
        for (String name : List.of("python", "node", "general")) {
            rules.purpose(Purpose.of(name, GitImage.NAME).with("echo " + name + " > /purpose"));
        }
        rules.purpose(Purpose.of(Purpose.TRY_REPO, GitImage.NAME).untrusted());
        containers = Containers.on(DockerHost.local())
                .projectDirectory(directory.resolve("project"))
                .rules(rules.build())
                .host(new HostUser(Map.of("SOME_TOKEN", "planted-3f1"), null))
                .open();
        containers.createNetwork("lab", true);
        server = containers.create(ContainerRequest.builder()
                .name("server")
                .network("lab")
                .passthrough(EnvironmentPassthrough.none())
                .build());
        server.startJob("exec git daemon --export-all --base-path=/workspace --reuseaddr");
        String ready = repository("ready", "touch file").replace("server", "localhost");
        TestEngine.await(() ->
                server.run(ExecRequest.shell("git ls-remote " + ready).build()).succeeded());
    }

    @AfterEach
    void destroy() {
        containers.provisioned().stream()
                .filter(container -> !container.equals(server))
                .forEach(ProvisionedContainer::destroy);
    }

    @AfterAll
    static void close() throws Exception {
        registry.close();
        containers.destroyAll();
        for (String name : List.of("python", "node", "general", Purpose.TRY_REPO)) {
            containers.clearCaches(Optional.of(name));
        }
        containers.close();
    }

    /** Makes a repository on the server; the lines write its files. */
    private static String repository(String name, String lines) {
        assertThat(server.run(ExecRequest.shell("mkdir " + name + " && cd " + name + " && git init -q . && " + lines
                                + " && git add -A && git -c user.name=a -c user.email=a@b commit -qm one")
                        .build()))
                .satisfies(result -> assertThat(result.succeeded())
                        .as(result.stderr().text())
                        .isTrue());
        return "git://server/" + name;
    }

    private static ProvisionedContainer tried(String url) {
        return containers.create(
                ContainerRequest.builder().network("lab").tryRepository(url).build());
    }

    private static String out(ProvisionedContainer container, String line) {
        return container.run(ExecRequest.shell(line).build()).stdout().text();
    }

    @Test
    void whatItIsDecidesWhatIsInstalledAndItsHintsAreRun() throws Exception {
        String url = repository(
                "library",
                "echo requests > requirements.txt && echo x > Makefile && printf '#!/bin/sh\\ntouch /tmp/hook-ran\\n' > .hook"
                        + " && chmod +x .hook && printf '[submodule \"s\"]\\n path = s\\n url = git://server/none\\n' > .gitmodules");
        ProvisionedContainer container = tried(url);

        ProvisioningReport.Step step =
                container.report().orElseThrow().step("try_repo").orElseThrow();
        // The machine has no network but the lab's, so that nothing can be installed, which is said.
        assertThat(step.status()).isEqualTo(StepStatus.PARTIAL);
        assertThat(step.detail())
                .startsWith("python in /workspace/library, 1 of 2")
                .contains("make");
        assertThat(step.error()).contains(".venv");
        assertThat(out(
                        container,
                        "cat /purpose; pwd; ls library; git -C library log --oneline | wc -l; stat -c %U library"))
                .isEqualTo("python\n/workspace\nMakefile\nrequirements.txt\n1\nmaestro\n");
        assertThat(container.state().variables()).containsExactly("HOME");
        assertThat(container
                        .report()
                        .orElseThrow()
                        .step("forward_git")
                        .orElseThrow()
                        .status())
                .isEqualTo(StepStatus.SKIPPED);
        assertThat(containers.list()).hasSize(2);
    }

    @Test
    @Full(
            "DevContainerTest has the rules; whatItIsDecidesWhatIsInstalledAndItsHintsAreRun has a repository that is tried")
    void aDevContainerIsFollowedAsFarAsItStaysInside() throws Exception {
        String url = repository("boxed", """
                mkdir -p .devcontainer/tool && cat > .devcontainer/devcontainer.json <<'END'
                {
                  // It asks for more than it gets.
                  "image": "%s",
                  "initializeCommand": "touch /tmp/on-the-host",
                  "mounts": ["source=/,target=/host,type=bind"],
                  "runArgs": ["--privileged"],
                  "privileged": true,
                  "workspaceFolder": "/elsewhere",
                  "forwardPorts": [8080],
                  "containerEnv": {"COLOUR": "blue"},
                  "remoteEnv": {"SHADE": "dark-${containerEnv:COLOUR}", "STOLEN": "${localEnv:SOME_TOKEN}"},
                  "features": {"./tool": {"version": "7"}, "ghcr.io/x/y:1": {}},
                  "postCreateCommand": "echo $COLOUR $SHADE > made && id -u >> made && pwd >> made",
                  "onCreateCommand": ["sh", "-c", "echo first > made-first"],
                }
                END
                printf 'echo tool $VERSION > /tool' > .devcontainer/tool/install.sh && echo '{}' > package.json
                """.formatted(GitImage.NAME).strip());

        ProvisionedContainer container = tried(url);

        ProvisioningReport report = container.report().orElseThrow();
        assertThat(report.succeeded()).as(report.toString()).isTrue();
        assertThat(report.step("try_repo").orElseThrow().detail())
                .startsWith("node in /workspace/boxed, 4 of 4")
                .contains(
                        "initializeCommand",
                        "mounts",
                        "runArgs",
                        "privileged",
                        "STOLEN",
                        "workspaceFolder",
                        "[8080]",
                        "ghcr.io/x/y:1");
        assertThat(out(container, "cd boxed; cat made-first made /tool; env | grep -c planted"))
                .isEqualTo("first\nblue dark-blue\n1000\n/workspace/boxed\ntool 7\n0\n");
        assertThat(Files.exists(Path.of("/tmp/on-the-host"))).isFalse();
        assertThat(container.container().imageId()).isNotEmpty();
    }

    @Test
    @Full("DevContainerTest has the rules, ConfinedDockerfileTest those of its Dockerfile")
    void aDockerfileIsBuiltConfinedAndAFeatureHasItsDefaults() throws Exception {
        String lines = """
                mkdir -p .devcontainer/tool && cat > .devcontainer/devcontainer.json <<'END'
                {"build": {"dockerfile": "Dockerfile", "context": "..", "args": {"WHO": "them"}},
                 "features": {"./tool": {"given": "yes"}}}
                END
                cat > .devcontainer/Dockerfile <<'END'
                FROM %s
                ARG WHO
                COPY app.txt /app.txt
                RUN echo built for $WHO > /built; cat /proc/net/dev | grep -c eth >> /built || true
                END
                cat > .devcontainer/tool/devcontainer-feature.json <<'END'
                {"id": "tool", "options": {"version": {"type": "string", "default": "7"}, "given": {"default": "no"}},
                 "privileged": true, "entrypoint": "/evil"}
                END
                printf 'echo tool $VERSION $GIVEN > /tool' > .devcontainer/tool/install.sh && echo data > app.txt
                """;
        String url = repository("built", lines.formatted(GitImage.NAME).strip());
        ProvisionedContainer container = tried(url);
        ProvisioningReport.Step step =
                container.report().orElseThrow().step("try_repo").orElseThrow();
        assertThat(step.detail())
                .doesNotContain("not built")
                .contains("privileged of .devcontainer/tool/devcontainer-feature.json is not followed", "entrypoint");
        // The lab leads nowhere, and so does its build.
        assertThat(out(container, "cat /app.txt /built /tool")).isEqualTo("data\nbuilt for them\n0\ntool 7 yes\n");
        ProvisionedContainer again = tried(url);
        assertThat(again.container().imageId()).isEqualTo(container.container().imageId());

        String other =
                repository("strange", lines.formatted("nobody-has/this:1").strip());
        ProvisionedContainer plain = tried(other);
        assertThat(plain.report().orElseThrow().step("try_repo").orElseThrow().detail())
                .contains(
                        ".devcontainer/Dockerfile is not built",
                        "nobody-has/this:1",
                        "no registry that the host allows");
        assertThat(out(plain, "cat /tool; ls /built 2>&1"))
                .startsWith("tool 7 yes\n")
                .contains("No such file");
        containers.provisioned().stream().filter(each -> !each.equals(server)).forEach(ProvisionedContainer::destroy);
        assertThat(containers.clearCaches(Optional.of(Purpose.TRY_REPO)))
                .singleElement()
                .asString()
                .startsWith("maestro-tried:");
    }

    @Test
    @Full("UntrustedNamesTest has the rule; here is each door")
    void onlyWhatAnybodyCouldFetchFromAnAllowedRegistryIsUsed() throws Exception {
        TestImages images = TestImages.ofDocker();
        String open = registry.name("open/tool:1");
        registry.publish(CLI, images.good("open"), "open/tool:1", directory.resolve("archive"));
        // Only this engine has it, as one that was built here, or fetched with a login.
        String hidden = registry.name("private/product:1");
        CLI.output("tag", images.good("private"), hidden);
        ToolContext context = Mockito.mock(ToolContext.class);
        Mockito.when(context.agentId()).thenReturn("coder-001");
        Mockito.when(context.audience()).thenReturn(ToolAudience.CODER_CODING);
        Tool tool = ContainersTool.of(containers).build().create(context);
        try (TestRegistry other = new TestRegistry()) {
            Map<String, UnaryOperator<String>> doors = Map.of(
                    "image", image -> asked("{\"image\": \"" + image + "\"}", ""),
                    "from", image -> asked("{\"build\": {\"dockerfile\": \"Dockerfile\"}}", "FROM " + image),
                    "copy",
                            image -> asked(
                                    "{\"build\": {\"dockerfile\": \"Dockerfile\"}}",
                                    "FROM " + GitImage.NAME + "\nCOPY --from=" + image + " /bin/sh /s"),
                    "tool", image -> called(tool, "image", image),
                    "services",
                            image -> called(
                                    tool,
                                    "compose_content",
                                    "services: {a: {image: '" + image + "', command: sleep 1000}}"));
            doors.forEach((door, ask) -> {
                assertThat(ask.apply(other.name("evil/img:1"))).as(door).contains("no registry that the host allows");
                assertThat(ask.apply(hidden)).as(door).contains("without the host's logins");
                assertThat(ask.apply(open)).as(door).doesNotContain("no registry", "logins", "not built", "refused");
            });
            assertThat(other.asked()).isEmpty();
        } finally {
            images.remove(hidden);
            images.remove(open);
        }
    }

    /** What is said of a repository that asks for an image. */
    private static String asked(String json, String dockerfile) {
        String name = "asks-" + UUID.randomUUID();
        ProvisionedContainer container = tried(repository(
                name,
                "mkdir .devcontainer && cat > .devcontainer/devcontainer.json <<'END'\n" + json
                        + "\nEND\ncat > .devcontainer/Dockerfile <<'END'\n" + dockerfile + "\nEND\ntrue"));
        String report = container.report().orElseThrow().toString();
        container.destroy();
        return report;
    }

    private static String called(Tool tool, String argument, String value) {
        try {
            String text = call(tool, Map.of("operation", "create", argument, value));
            call(tool, Map.of("operation", "destroy_all", "confirm", true));
            return text;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static String call(Tool tool, Map<String, ?> arguments) throws Exception {
        return tool.execute(new ToolCall("1", "containers", ToolArguments.of(arguments), Duration.ofMinutes(2)))
                .text();
    }

    /** Two of those that public repositories have and two hostile ones, drawn anew each time; {@code -Dnumber=50} tries all. */
    @Test
    @Full("DevContainerSamplesTest reads the same samples without an engine")
    void whatStrangersWriteStartsOrIsRefusedByName() {
        List<DevContainerSample> samples = new ArrayList<>(DevContainerSample.all());
        Collections.shuffle(samples, new Random(Campaign.seed("devcontainers of strangers")));
        int most = Campaign.number(4);
        for (DevContainerSample sample : samples.subList(0, Math.min(most, samples.size()))) {
            String name = "sample-" + sample.name().replaceAll("[^a-z0-9]", "");
            String url = repository(
                    name,
                    "mkdir -p .devcontainer && cat > .devcontainer/devcontainer.json <<'END-OF-SAMPLE'\n"
                            + sample.text() + "\nEND-OF-SAMPLE\necho x > README.md");
            ProvisionedContainer container = tried(url);
            String report = container.report().orElseThrow().toString();
            sample.refused()
                    .forEach(member -> assertThat(report).as(sample.name()).contains(member));
            assertThat(out(container, "echo well; env | grep -c planted-3f1"))
                    .as(sample.name())
                    .isEqualTo("well\n0\n");
            assertThat(CLI.output(
                            "inspect",
                            "--format",
                            "{{.HostConfig.Privileged}} {{.HostConfig.Binds}} {{.HostConfig.NetworkMode}} {{.HostConfig.PidMode}}",
                            container.container().id()))
                    .as(sample.name())
                    .matches("false \\[] maestro-[a-z0-9-]+ ?");
            container.destroy();
        }
        assertThat(Files.exists(Path.of("/tmp/on-the-host"))).isFalse();
    }

    @Test
    @Full("CloneLineTest has the command")
    void whatCannotBeClonedLeavesNothing() {
        assertThatThrownBy(() -> tried("git://server/none-such"))
                .isInstanceOf(DockerException.class)
                .hasMessageContaining("git://server/none-such cannot be cloned: exit code 128");
        assertThat(containers.list()).hasSize(1);
        assertThatThrownBy(() -> tried("https://user:password@example.org/x")).hasMessageContaining("password");
        assertThatThrownBy(() -> tried("ext::sh -c touch% /tmp/x")).hasMessageContaining("no URL");
        assertThatThrownBy(() -> ContainerRequest.builder().purpose("try-repo").build())
                .hasMessageContaining("needs a repository");
    }
}
