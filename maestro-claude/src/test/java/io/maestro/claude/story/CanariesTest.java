package io.maestro.claude.story;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.claude.testing.Fact;
import io.maestro.claude.testing.RealClaude;
import io.maestro.claude.testing.RealClaude.Release;
import io.maestro.claude.testing.RequiresClaude;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestContainer;
import io.maestro.exec.ExecProcess;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.testing.Full;
import io.maestro.testkit.api.ApiScript;
import io.maestro.testkit.api.StubApi;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Each canary does what it is to show, where nothing is done against it: else that it does nothing would say nothing. */
@RequiresClaude
@Full("facts about the CLI: about 1 s of CPU for each of its starts")
class CanariesTest {
    private static final List<String> ARGUMENTS = List.of(
            "-p",
            "--output-format",
            "stream-json",
            "--verbose",
            "--model",
            "claude-sonnet-4-5",
            "--dangerously-skip-permissions");

    private static final String GO = "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"go\"}}";

    /** On the disk: nothing of {@code /dev} is mounted into a container. */
    @TempDir(factory = TempDirFactory.Standard.class)
    Path directory;

    @ParameterizedTest
    @Fact("line: what a repository and a user bring is obeyed")
    @Tag("drift-only")
    @EnumSource(Release.class)
    void ofARepositoryAndAUser(Release release) throws IOException {
        Path workspace = directory.resolve("workspace");
        Path state = directory.resolve("state");
        Canaries.write(workspace, Canaries.ofRepository());
        Canaries.write(state, Canaries.ofState("user"));
        Set<String> names = Canaries.namesOfRepository();
        names.addAll(Canaries.namesOfState("user"));
        List<String> command = new ArrayList<>(List.of(
                "sh", "-c", "exec \"$@\" >said 2>&1", "sh", release.program().toString()));
        command.addAll(ARGUMENTS);
        command.addAll(List.of("--input-format", "stream-json"));
        try (StubApi api = StubApi.start(reading(workspace))) {
            ExecRequest.Builder request = ExecRequest.command(command)
                    .timeLimit(Duration.ofMinutes(2))
                    .environment("CLAUDE_CONFIG_DIR", state.toString());
            RealClaude.environment(directory.resolve("home"), api.baseUrl()).forEach(request::environment);
            try (ExecProcess cli = LocalExecutor.builder(workspace).build().start(request.build())) {
                cli.stdin().write((GO + "\n").getBytes(StandardCharsets.UTF_8));
                cli.stdin().flush();
                // Scheduled prompts are said as long as there may be more to come.
                long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
                while (!seen(api, names(state)).containsAll(names) && System.nanoTime() < end) {
                    cli.await(Duration.ofMillis(50));
                }
            }
            assertThat(seen(api, names(state)))
                    .as(Files.readString(workspace.resolve("said")))
                    .containsAll(names);
        }
    }

    private static List<String> names(Path directory) {
        return List.of(Objects.requireNonNull(directory.toFile().list()));
    }

    /** In a container, which holds it: with the variables of its image, and none of Maestro's. */
    @ParameterizedTest
    @Fact("line: what an image brings is obeyed")
    @Tag("drift-only")
    @RequiresEngine
    @CsvSource({"OLDEST, false", "OLDEST, true", "NEWEST, false", "NEWEST, true"})
    void ofAnImage(Release release, boolean windows) throws IOException {
        Path root = directory.resolve("root");
        Canaries.write(root, Canaries.ofImage());
        List<String> options = new ArrayList<>(List.of(
                "--volume",
                release.program() + ":/usr/local/bin/claude:ro",
                "--volume",
                root.resolve("opt") + ":/opt:ro",
                "--volume",
                root.resolve("etc/claude-code") + ":/etc/claude-code:ro",
                "--tmpfs",
                "/workspace:mode=1777"));
        if (windows) {
            options.addAll(List.of("--volume", root.resolve("mnt/c") + ":/mnt/c:ro"));
        }
        try (TestContainer container =
                new TestContainer("docker", TestContainer.DEBIAN, options.toArray(String[]::new))) {
            String bridge = container
                    .cli("inspect", "--format", "{{.NetworkSettings.Gateway}}", container.name())
                    .strip();
            try (StubApi api = StubApi.start(InetAddress.getByName(bridge), reading(Path.of("/workspace")))) {
                List<String> command = new ArrayList<>(List.of("exec", "--workdir", "/workspace"));
                Map<String, String> variables = RealClaude.environment(api.baseUrl());
                variables.put("HOME", "/tmp");
                variables.put("CLAUDE_CONFIG_DIR", "/tmp/state");
                variables.putAll(Canaries.variablesOfImage(windows));
                variables.forEach((name, value) -> command.addAll(List.of("--env", name + "=" + value)));
                command.addAll(
                        List.of(container.name(), "sh", "-c", "mkdir /tmp/state && exec \"$@\"", "sh", "claude"));
                command.addAll(ARGUMENTS);
                command.add("go");
                String said = container.cli(command.toArray(String[]::new));

                assertThat(seen(api, Arrays.asList(container.sh("ls /tmp/state").split("\n"))))
                        .as(said)
                        .containsAll(Canaries.namesOfImage(windows));
            }
        }
    }

    private static ApiScript reading(Path workspace) {
        return ApiScript.calls(
                "end",
                ApiScript.call(
                        "Write", "file_path", workspace.resolve("sub/new.txt").toString(), "content", "x"),
                ApiScript.call(
                        "Read", "file_path", workspace.resolve("sub/new.txt").toString()));
    }

    private static Set<String> seen(StubApi api, List<String> state) {
        Set<String> seen = new TreeSet<>();
        api.requests().forEach(request -> {
            seen.addAll(Canaries.in(request.text()));
            seen.addAll(Canaries.in(request.headers().toString()));
        });
        state.stream()
                .filter(name -> name.startsWith("witness-"))
                .forEach(name -> seen.add(name.substring("witness-".length())));
        return seen;
    }
}
