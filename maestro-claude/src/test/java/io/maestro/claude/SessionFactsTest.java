package io.maestro.claude;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.maestro.claude.testing.Fact;
import io.maestro.claude.testing.RealClaude;
import io.maestro.claude.testing.RequiresClaude;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.testing.Full;
import io.maestro.testkit.api.ApiReply;
import io.maestro.testkit.api.ApiRequest;
import io.maestro.testkit.api.ApiScript;
import io.maestro.testkit.api.StubApi;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What FACTS.md says about sessions and is not seen elsewhere, on the real CLI. */
@RequiresClaude
@Full("facts about the CLI: about 1 s of CPU for each of its starts")
class SessionFactsTest {
    @TempDir
    Path directory;

    private final String id = UUID.randomUUID().toString();

    private BareClaude run(StubApi api, String workspace, String state, String... arguments) throws IOException {
        return BareClaude.print(
                        Files.createDirectories(directory.resolve(workspace)),
                        api.baseUrl(),
                        Map.of("CLAUDE_CONFIG_DIR", directory.resolve(state).toString()),
                        arguments)
                .closeStdin();
    }

    private static Path file(Path state, String id) throws IOException {
        try (Stream<Path> files = Files.walk(state)) {
            return files.filter(path -> path.getFileName().toString().equals(id + ".jsonl"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    @Fact("sessions: the file")
    void oneFileIsAllThatIsNeeded() throws IOException {
        try (StubApi api = StubApi.start(ApiScript.always(ApiReply.text("an answer")))) {
            try (BareClaude first = run(api, "w", "state", "--session-id", id, "first words")) {
                assertThat(first.exitCode()).isZero();
            }
            Path state = directory.resolve("state");
            assertThat(state.resolve(".claude.json")).exists();
            Path file = file(state, id);
            assertThat(file.getParent().getParent()).isEqualTo(state.resolve("projects"));
            assertThat(file.getParent().getFileName().toString())
                    .isEqualTo(directory.resolve("w").toRealPath().toString().replaceAll("[^A-Za-z0-9]", "-"));
            Path copy = directory.resolve("other").resolve(state.relativize(file));
            Files.createDirectories(copy.getParent());
            Files.copy(file, copy);

            try (BareClaude again = run(api, "w", "other", "--resume", id, "more words")) {
                assertThat(again.exitCode()).isZero();
                assertThat(again.result().sessionId()).isEqualTo(id);
                assertThat(again.events(ClaudeEvent.Said.class))
                        .as("nothing old is said again")
                        .hasSize(1);
            }
            ApiRequest resumed = api.conversations().get(1);
            assertThat(resumed.heard("first words")).isTrue();
            assertThat(resumed.modelTexts()).contains("an answer");
        }
    }

    @Test
    @Fact("sessions: the system prompt on resuming")
    void eachProcessSaysItsOwnSystemPromptUnlessOneIsKept() throws IOException {
        assertThat(prompts("false")).containsExactly("first prompt", "second prompt");
        assertThat(prompts("true"))
                .containsExactly("first prompt", RealClaude.isOldest() ? "second prompt" : "first prompt");
    }

    /** What of the prompts of two processes is sent. */
    private List<String> prompts(String kept) throws IOException {
        String session = UUID.randomUUID().toString();
        try (StubApi api = StubApi.start(ApiScript.always(ApiReply.text("an answer")))) {
            for (String prompt : List.of("first prompt", "second prompt")) {
                try (BareClaude cli = BareClaude.print(
                        Files.createDirectories(directory.resolve("w")),
                        api.baseUrl(),
                        Map.of("CLAUDE_CONFIG_DIR", directory.resolve("state").toString()),
                        "--input-format",
                        "stream-json",
                        "--append-system-prompt",
                        prompt,
                        prompt.startsWith("first") ? "--session-id" : "--resume",
                        session)) {
                    cli.send("{\"type\":\"control_request\",\"request_id\":\"r1\",\"request\":"
                            + "{\"subtype\":\"initialize\",\"systemPromptSnapshot\":" + kept + "}}");
                    cli.say("go");
                    cli.await(ClaudeEvent.Result.class);
                    assertThat(cli.closeStdin().exitCode()).isZero();
                }
            }
            return api.conversations().stream()
                    .map(request -> request.system().contains("first prompt") ? "first prompt" : "second prompt")
                    .toList();
        }
    }

    @Test
    @Fact("sessions: in another directory")
    void inAnotherDirectoryASessionIsUnknownToTheOldestOnly() throws IOException {
        try (StubApi api = StubApi.start(ApiScript.always(ApiReply.text("an answer")))) {
            try (BareClaude first = run(api, "w", "state", "--session-id", id, "first words")) {
                assertThat(first.exitCode()).isZero();
            }
            try (BareClaude again = run(api, "elsewhere", "state", "--resume", id, "more words")) {
                if (RealClaude.isOldest()) {
                    assertThat(again.exitCode()).isEqualTo(1);
                    assertThat(again.result().text()).contains("No conversation found");
                    assertThat(api.conversations()).hasSize(1);
                } else {
                    assertThat(again.exitCode()).isZero();
                    assertThat(api.conversations().get(1).heard("first words")).isTrue();
                }
            }
        }
    }

    @Test
    @Fact("sessions: a call without an answer")
    void aCallWithoutAnAnswerHasNoneInTheResumedConversation() throws IOException {
        ApiScript script = request -> request.heard("more words")
                ? ApiReply.text("again")
                : ApiReply.use("Bash", "command", "echo $$ >part.pid; mv part.pid child.pid; sleep 30; true");
        try (StubApi api = StubApi.start(script)) {
            try (BareClaude first = run(api, "w", "state", "--session-id", id, "first words")) {
                first.await("a child", () -> Files.exists(directory.resolve("w/child.pid")));
                first.signal("TERM");
                assertThat(first.exitCode()).isEqualTo(143);
            }
            try (BareClaude again = run(api, "w", "state", "--resume", id, "more words")) {
                assertThat(again.exitCode()).isZero();
            }
            ApiRequest resumed = api.conversations().get(1);
            assertThat(resumed.heard("first words")).isTrue();
            if (RealClaude.isOldest()) {
                assertThat(resumed.uses()).isEmpty();
                assertThat(resumed.answers()).isEmpty();
            } else {
                assertThat(resumed.uses()).hasSize(1);
                // In words that depend on how far its end was: interrupted, lost, or an exit code.
                assertThat(resumed.answers()).singleElement().matches(ApiRequest.Answer::isError);
            }
        }
    }

    /** As the owner of a directory that is to be written by somebody else: what a volume is at first. */
    @Test
    @Fact("sessions: a directory that is root's")
    void whereAnotherUserMayNotWriteNothingIsKeptAndThatIsCalledASuccess() throws Exception {
        assumeThat(System.getProperty("user.name")).isEqualTo("root");
        try (StubApi api = StubApi.start(ApiScript.always(ApiReply.text("an answer")))) {
            Path state = Files.createDirectories(directory.resolve("state"));

            ExecResult first = asAnother(api, state, "--session-id", id, "first words");

            assertThat(first.exitCode()).hasValue(0);
            assertThat(files(state)).isEmpty();
            ExecResult again = asAnother(api, state, "--resume", id, "more words");
            assertThat(again.exitCode()).hasValue(1);
            assertThat(again.stdout().text()).contains("No conversation found");
        }
    }

    @Test
    @Fact("sessions: a session that is root's")
    void aSessionOfRootIsUnknownToAnotherUser() throws Exception {
        assumeThat(System.getProperty("user.name")).isEqualTo("root");
        try (StubApi api = StubApi.start(ApiScript.always(ApiReply.text("an answer")))) {
            Path state = directory.resolve("state");
            try (BareClaude first = run(api, "w", "state", "--session-id", id, "first words")) {
                assertThat(first.exitCode()).isZero();
            }

            ExecResult again = asAnother(api, state, "--resume", id, "more words");

            assertThat(again.exitCode()).hasValue(1);
            assertThat(again.stdout().text()).contains("No conversation found");
        }
    }

    /** Runs the CLI in the same directory as user 1000, who gets to it and may write nothing but a home. */
    private ExecResult asAnother(StubApi api, Path state, String... arguments) throws Exception {
        Path workspace = Files.createDirectories(directory.resolve("w"));
        Path home = directory.resolve("home-of-1000");
        for (Path path : List.of(directory, workspace, state, Files.createDirectories(home))) {
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        Files.setAttribute(home, "unix:uid", 1000);
        List<String> command = new ArrayList<>(List.of("setpriv", "--reuid=1000", "--regid=1000", "--clear-groups"));
        command.addAll(List.of(RealClaude.program().toString(), "-p", "--model", "claude-sonnet-4-5"));
        command.addAll(List.of("--output-format", "stream-json", "--verbose"));
        command.addAll(List.of(arguments));
        ExecRequest.Builder request = ExecRequest.command(command)
                .timeLimit(Duration.ofMinutes(2))
                .environment("CLAUDE_CONFIG_DIR", state.toString());
        RealClaude.environment(home, api.baseUrl()).forEach(request::environment);
        return LocalExecutor.builder(workspace).build().run(request.build());
    }

    private static List<Path> files(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(Files::isRegularFile).toList();
        }
    }
}
