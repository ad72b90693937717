package io.maestro.claude.internal.coder;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.agent.spi.AgentProject;
import io.maestro.claude.ClaudeMissingException;
import io.maestro.claude.ClaudeOptions;
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
import java.util.Map;
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

    private static ClaudeOptions options() {
        return ClaudeOptions.defaults()
                .planningModel("opus")
                .codingModel("haiku")
                .planningTools(List.of())
                .codingTools(List.of())
                .baseUrl(URI.create("http://localhost:9/api"))
                .apiKey(KEY);
    }

    private static ClaudeOptions with(String program) {
        return options()
                .program(program)
                .planningModel("claude-sonnet-5")
                .planningTools(List.of("Read", "Glob"))
                .codingTools(List.of("Bash"));
    }

    private static ClaudeOptions way(Path program, McpWay way, boolean keyInEnvironment) {
        return options().program(program.toString()).way(way).keyInEnvironment(keyInEnvironment);
    }

    /** Of the file, which the schema alone keeps from limits as short as these. */
    private static ClaudeOptions limits(Path program, double total, double inactivity) {
        return options()
                .program(program.toString())
                .under(new AgentProject(
                        Path.of("/project"),
                        "session",
                        Optional.empty(),
                        Map.of("total_seconds", total, "inactivity_seconds", inactivity),
                        Map.of(),
                        text -> text));
    }

    private ClaudeResult run(ClaudeOptions settings) {
        return run(settings, CoderState.PLANNING);
    }

    private ClaudeResult run(ClaudeOptions settings, CoderState state) {
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

        ClaudeResult stalled = run(limits(silent, 300, 0.3));
        ClaudeResult late = run(limits(silent, 0.3, 300));

        assertThat(stalled.ending()).as("%s", stalled).isEqualTo(ClaudeResult.Ending.STALLED);
        assertThat(late.ending()).as("%s", late).isEqualTo(ClaudeResult.Ending.TIMED_OUT);
    }

    @Test
    void aProgramOfTheHostIsTakenWhereThereIsNone() throws IOException {
        Path program = script("host/claude", "echo '" + RESULT + "'");
        ClaudeOptions settings = options().hostProgram(program);

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
