package io.maestro.claude.internal.coder;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.claude.ClaudeMissingException;
import io.maestro.claude.ClaudeResult;
import io.maestro.claude.ClaudeRun;
import io.maestro.claude.McpWay;
import io.maestro.claude.SocketDirectory;
import io.maestro.environment.Environment;
import io.maestro.environment.HostRoute;
import io.maestro.environment.Phase;
import io.maestro.exec.Executor;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.mcp.McpCall;
import io.maestro.mcp.McpTools;
import io.maestro.story.CoderState;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolResult;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the settings of the mode do to the CLI, which is a script here that writes down what it is given. */
class EquippedCliTest {
    private static final String KEY = "planted-key";
    private static final String RESULT =
            "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"ok\",\"num_turns\":1}";

    /** Answers at once, or says no more than that it has begun. */
    private static final String SCRIPT = """
            #!/bin/sh
            if [ "$1" = --version ]; then echo '2.1.197 (Claude Code)'; exit; fi
            for a in "$@"; do printf '[%%s]' "$a"; done >'%s/arguments'
            env >'%s/environment'
            %s
            cat >/dev/null
            """;

    @TempDir
    Path directory;

    private Path script(String name, String does) throws IOException {
        Path file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, SCRIPT.formatted(directory, directory, does));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        return file;
    }

    private static StateSettings state(String model, String... tools) {
        return new StateSettings(model, List.of(tools));
    }

    private static ModeSettings with(String program) {
        return new ModeSettings(
                state("claude-sonnet-5", "Read", "Glob"),
                state("haiku", "Bash"),
                Optional.of(program),
                Optional.empty(),
                Optional.empty(),
                false,
                Duration.ofHours(1),
                Duration.ofMinutes(5),
                URI.create("http://localhost:9/api"),
                KEY);
    }

    private static ModeSettings way(Path program, McpWay way, boolean keyInEnvironment) {
        return new ModeSettings(
                state("opus"),
                state("haiku"),
                Optional.of(program.toString()),
                Optional.empty(),
                Optional.of(way),
                keyInEnvironment,
                Duration.ofMinutes(7),
                Duration.ofMinutes(5),
                URI.create("http://localhost:9/api"),
                KEY);
    }

    private static ModeSettings limits(Path program, Duration total, Duration inactivity) {
        return new ModeSettings(
                state("opus"),
                state("haiku"),
                Optional.of(program.toString()),
                Optional.empty(),
                Optional.empty(),
                false,
                total,
                inactivity,
                URI.create("http://localhost:9/api"),
                KEY);
    }

    private ClaudeResult run(ModeSettings settings) {
        return run(settings, CoderState.PLANNING);
    }

    private ClaudeResult run(ModeSettings settings, CoderState state) {
        FakeTask task = new FakeTask();
        task.state = state;
        task.environment = new Here(directory);
        Parts parts =
                new Parts(task, new NoTools(), () -> true, event -> {}, (role, text) -> {}, happening -> {}, () -> 50);
        try (SocketDirectory sockets = SocketDirectory.open(directory.resolve("sockets"));
                EquippedCli cli = new EquippedCli(parts, settings, HttpClient.newHttpClient(), sockets::socket);
                ClaudeRun run = cli.start(UUID.randomUUID().toString(), "go")) {
            return run.await(Duration.ofMinutes(1)).orElseThrow();
        }
    }

    private String arguments() throws IOException {
        return Files.readString(directory.resolve("arguments"));
    }

    private List<String> environment() throws IOException {
        return Files.readAllLines(directory.resolve("environment"));
    }

    @Test
    void theProgramAndTheModelAndAPlaceholderForTheKey() throws IOException {
        Path program = script("own/claude", "echo '" + RESULT + "'");

        assertThat(run(with(program.toString())).ending()).isEqualTo(ClaudeResult.Ending.COMPLETED);

        assertThat(arguments())
                .contains("[--model][claude-sonnet-5]")
                .contains("[--tools][Read,Glob]")
                .contains("[--max-turns]")
                .doesNotContain("planted")
                .doesNotContain("[--mcp-config]");
        assertThat(environment())
                .contains("HOME=" + directory.resolve("state"))
                .anyMatch(line -> line.startsWith("ANTHROPIC_UNIX_SOCKET="))
                .noneMatch(line -> line.contains("planted") || line.contains("localhost:9"));
    }

    @Test
    void theModelAndTheToolsOfCoding() throws IOException {
        run(with(script("claude", "echo '" + RESULT + "'").toString()), CoderState.CODING);

        assertThat(arguments()).contains("[--model][haiku]", "[--tools][Bash]");
        assertThat(environment()).noneMatch(line -> line.contains("claude-sonnet-5"));
    }

    @ParameterizedTest
    @EnumSource(McpWay.class)
    void theWay(McpWay way) throws IOException {
        // The script says nothing of a server, and a run without one is none.
        run(way(script("claude", "echo '" + RESULT + "'"), way, false));

        assertThat(arguments()).contains("[--model][opus]").doesNotContain("planted");
        switch (way) {
            case CONTROL_CHANNEL -> assertThat(arguments()).doesNotContain("[--mcp-config]");
            case HTTP -> assertThat(arguments()).contains("\"type\":\"http\",\"url\":\"http://localhost:");
            case PROXY -> assertThat(arguments()).contains("\"type\":\"stdio\",\"command\":\"sh\"");
        }
        assertThat(environment()).noneMatch(line -> line.contains("planted"));
    }

    @Test
    void theKeyInTheEnvironmentIsTheKeyItselfAndGoesToTheApiItself() throws IOException {
        run(way(script("claude", "echo '" + RESULT + "'"), McpWay.CONTROL_CHANNEL, true));

        assertThat(environment())
                .contains("ANTHROPIC_API_KEY=" + KEY, "ANTHROPIC_BASE_URL=http://localhost:9/api")
                .noneMatch(line -> line.startsWith("ANTHROPIC_UNIX_SOCKET="));
        assertThat(arguments()).doesNotContain("planted");
    }

    @Test
    void theLimitsEndARun() throws IOException {
        Path silent = script("claude", "true");

        ClaudeResult stalled = run(limits(silent, Duration.ofMinutes(5), Duration.ofMillis(300)));
        ClaudeResult late = run(limits(silent, Duration.ofMillis(300), Duration.ofMinutes(5)));

        assertThat(stalled.ending()).as("%s", stalled).isEqualTo(ClaudeResult.Ending.STALLED);
        assertThat(late.ending()).as("%s", late).isEqualTo(ClaudeResult.Ending.TIMED_OUT);
    }

    @Test
    void aProgramOfTheHostIsTakenWhereThereIsNone() throws IOException {
        Path program = script("host/claude", "echo '" + RESULT + "'");
        ModeSettings settings = new ModeSettings(
                state("opus"),
                state("haiku"),
                Optional.empty(),
                Optional.of(program),
                Optional.empty(),
                false,
                Duration.ofHours(1),
                Duration.ofMinutes(5),
                URI.create("http://localhost:9"),
                KEY);

        assertThat(run(settings).ending()).isEqualTo(ClaudeResult.Ending.COMPLETED);
        assertThat(arguments()).contains("[--model][opus]");
    }

    @Test
    void aProgramThatIsNotThereIsSaid() {
        assertThatThrownBy(() -> run(with("/no/such/claude")))
                .isInstanceOf(ClaudeMissingException.class)
                .hasMessageContaining("/no/such/claude");
        assertThat(directory.resolve("arguments")).doesNotExist();
    }

    private static final class NoTools implements McpTools {
        @Override
        public List<ToolDefinition> list() {
            return List.of();
        }

        @Override
        public ToolResult call(McpCall call) {
            return ToolResult.error("no tool " + call.tool());
        }
    }

    /** This machine, without a CLI of its own. */
    private record Here(Path directory) implements Environment {
        @Override
        public void enter(Phase phase) {}

        @Override
        public Executor executor() {
            return LocalExecutor.builder(directory)
                    .variable("PATH", "/usr/bin:/bin")
                    .variable("HOME", directory.resolve("nobody").toString())
                    .build();
        }

        @Override
        public Optional<String> stateDirectory() {
            return Optional.of(directory.resolve("state").toString());
        }

        @Override
        public Optional<String> socketDirectory() {
            return Optional.of(directory.resolve("sockets").toString());
        }

        @Override
        public Optional<HostRoute> hostRoute() {
            return Optional.of(new HostRoute(InetAddress.getLoopbackAddress(), "localhost"));
        }

        @Override
        public void close() {}

        @Override
        public void remove() {}

        @Override
        public <T> T runFresh(Path checkout, @Nullable String image, Function<Executor, T> commands) {
            throw new AssertionError();
        }
    }
}
