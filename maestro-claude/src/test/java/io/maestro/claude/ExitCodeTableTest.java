package io.maestro.claude;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.claude.testing.Fact;
import io.maestro.claude.testing.RealClaude;
import io.maestro.claude.testing.RequiresClaude;
import io.maestro.testing.Full;
import io.maestro.testkit.api.ApiReply;
import io.maestro.testkit.api.ApiScript;
import io.maestro.testkit.api.StubApi;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rows of the table of exit codes in FACTS.md, on the real CLI. When one fails with a new version, the facts have changed. */
@RequiresClaude
@Full("facts about the CLI; ClaudeCodeEndingsTest has the endings that the library tells apart")
class ExitCodeTableTest {
    private static final Map<String, String> NO_RETRY = Map.of("CLAUDE_CODE_MAX_RETRIES", "0");
    private static final Map<String, String> ONE_RETRY = Map.of("CLAUDE_CODE_MAX_RETRIES", "1");

    @TempDir
    Path directory;

    @Test
    @Fact("exit: normal")
    void aNormalRun() {
        try (StubApi api = StubApi.start(ApiScript.always(ApiReply.text("hello")));
                BareClaude cli = run(api, Map.of(), "go")) {
            assertThat(cli.exitCode()).isZero();
            assertThat(cli.result().subtype()).isEqualTo("success");
            assertThat(cli.result().isError()).isFalse();
            assertThat(cli.result().text()).isEqualTo("hello");
            assertThat(cli.events(ClaudeEvent.Init.class)).hasSize(1);
        }
    }

    @ParameterizedTest
    @Fact("exit: 400, 403, 404, 413")
    @ValueSource(ints = {400, 403, 404, 413})
    void aRefusalIsASuccessWithAnError(int status) {
        try (StubApi api = StubApi.start(ApiScript.always(ApiReply.error(status, "planted")));
                BareClaude cli = run(api, Map.of(), "go")) {
            assertThat(cli.exitCode()).isEqualTo(1);
            assertThat(cli.result().subtype()).isEqualTo("success");
            assertThat(cli.result().isError()).isTrue();
            assertThat(cli.events(ClaudeEvent.ApiRetry.class)).isEmpty();
        }
    }

    @ParameterizedTest
    @Fact("exit: 401, 429, 500, 529")
    @ValueSource(ints = {401, 429, 500, 529})
    void aFailureIsTriedAgain(int status) {
        try (StubApi api = StubApi.start(ApiScript.always(ApiReply.error(status, "planted")));
                BareClaude cli = run(api, ONE_RETRY, "go")) {
            assertThat(cli.exitCode()).isEqualTo(1);
            assertThat(cli.result().subtype()).isEqualTo("success");
            assertThat(cli.result().isError()).isTrue();
            assertThat(cli.events(ClaudeEvent.ApiRetry.class)).singleElement().satisfies(retry -> {
                assertThat(retry.attempt()).isEqualTo(1);
                assertThat(retry.status()).isEqualTo(status);
                assertThat(retry.delayMillis()).isPositive();
            });
            assertThat(api.conversations()).hasSize(2);
        }
    }

    @Test
    @Fact("exit: no retry")
    void noRetryWorksToo() {
        try (StubApi api = StubApi.start(ApiScript.always(ApiReply.error(529, "planted")));
                BareClaude cli = run(api, NO_RETRY, "go")) {
            assertThat(cli.exitCode()).isEqualTo(1);
            assertThat(cli.events(ClaudeEvent.ApiRetry.class)).isEmpty();
            assertThat(api.conversations()).hasSize(1);
        }
    }

    @Test
    @Fact("exit: retry-after")
    void retryAfterIsHonoured() {
        ApiScript script = request ->
                request.attempt() == 1 ? ApiReply.error(429, "planted").retryAfter(1) : ApiReply.text("in the end");
        try (StubApi api = StubApi.start(script);
                BareClaude cli = run(api, ONE_RETRY, "go")) {
            assertThat(cli.exitCode()).isZero();
            ClaudeEvent.ApiRetry retry = cli.await(ClaudeEvent.ApiRetry.class);
            assertThat(retry.status()).isEqualTo(429);
            // A newer version adds some at random.
            assertThat(retry.delayMillis()).isBetween(1000L, RealClaude.isOldest() ? 1000L : 2000L);
            assertThat(cli.result().text()).isEqualTo("in the end");
        }
    }

    @Test
    @Fact("exit: ten retries")
    void tenRetriesAreTheDefault() {
        try (StubApi api = StubApi.start(ApiScript.always(ApiReply.error(529, "planted")));
                BareClaude cli = run(api, Map.of(), "go")) {
            assertThat(cli.await(ClaudeEvent.ApiRetry.class).attempt()).isEqualTo(1);
            assertThat(cli.stdout()).contains("\"max_retries\":10");
        }
    }

    @Test
    @Fact("exit: the API never answers")
    void anApiThatNeverAnswersIsAskedAgain() {
        Map<String, String> soon = Map.of("CLAUDE_CODE_MAX_RETRIES", "1", "API_TIMEOUT_MS", "5000");
        ApiScript script = request -> request.attempt() == 1 ? ApiReply.hang() : ApiReply.text("in the end");
        try (StubApi api = StubApi.start(script);
                BareClaude cli = run(api, soon, "go")) {
            assertThat(cli.exitCode()).isZero();
            assertThat(cli.await(ClaudeEvent.ApiRetry.class).status()).isZero();
            assertThat(cli.result().text()).isEqualTo("in the end");
        }
    }

    @Test
    void anApiThatNeverAnswersAtAllIsAFailure() {
        Map<String, String> soon = Map.of("CLAUDE_CODE_MAX_RETRIES", "0", "API_TIMEOUT_MS", "500");
        try (StubApi api = StubApi.start(ApiScript.always(ApiReply.hang()));
                BareClaude cli = run(api, soon, "go")) {
            assertThat(cli.exitCode()).isEqualTo(1);
            assertThat(cli.result().isError()).isTrue();
        }
    }

    @Test
    @Fact("exit: SIGTERM")
    void sigtermLeavesNoResultAndTheWholeSession() throws IOException {
        try (StubApi api = StubApi.start(ApiScript.always(endlessBash()));
                BareClaude cli = run(api, Map.of(), "go")) {
            cli.await("a child", () -> Files.exists(directory.resolve("child.pid")));
            cli.signal("TERM");

            assertThat(cli.exitCode()).isEqualTo(143);
            assertThat(cli.events(ClaudeEvent.Result.class)).isEmpty();
            assertThat(cli.events(ClaudeEvent.ToolUse.class)).hasSize(1);
            assertThat(cli.childAtEnd()).as("its child").isEqualTo(RealClaude.isOldest() ? "alive" : "gone");
            assertThat(session(cli.await(ClaudeEvent.Init.class).sessionId())).contains("tool_use", "child.pid");
        }
    }

    @Test
    @Fact("exit: SIGINT")
    void sigintEndsTheChildAndTheTurnIsNoSuccessWhateverTheExitCode() throws IOException {
        try (StubApi api = StubApi.start(ApiScript.always(endlessBash()));
                BareClaude cli = run(api, Map.of(), "go")) {
            cli.await("a child", () -> Files.exists(directory.resolve("child.pid")));
            cli.signal("INT");

            // Mostly 0 on a busy machine, mostly 1 on a quiet one, and on a very busy one there may be no result at
            // all: the signal races with the end of the turn that it aborts. No line says that the turn was a success.
            assertThat(cli.exitCode()).isBetween(0, 1);
            assertThat(cli.events(ClaudeEvent.Result.class)).allMatch(ClaudeEvent.Result::isError);
            assertThat(cli.childAtEnd()).isEqualTo("gone");
        }
    }

    @Test
    @Fact("exit: --session-id is used")
    void aSessionIdThatIsUsedAlreadyIsRefusedOnStderrOnly() {
        String id = UUID.randomUUID().toString();
        try (StubApi api = StubApi.start(ApiScript.always(ApiReply.text("hello")))) {
            try (BareClaude first = run(api, Map.of(), "--session-id", id, "go")) {
                assertThat(first.exitCode()).isZero();
                assertThat(first.result().sessionId()).isEqualTo(id);
            }
            try (BareClaude again = run(api, Map.of(), "--session-id", id, "go")) {
                assertThat(again.exitCode()).isEqualTo(1);
                assertThat(again.stdout()).isEmpty();
                assertThat(again.stderr()).contains(id).contains("already in use");
            }
            try (BareClaude resumed = run(api, Map.of(), "--resume", id, "and on")) {
                assertThat(resumed.exitCode()).isZero();
                assertThat(resumed.result().sessionId()).isEqualTo(id);
            }
            assertThat(api.conversations()).hasSize(2);
            assertThat(api.conversations().get(1).modelTexts()).contains("hello");
            assertThat(api.conversations().get(1).heard("go")).isTrue();
        }
    }

    @Test
    @Fact("exit: --resume is unknown")
    void anUnknownSessionCannotBeResumed() {
        String id = UUID.randomUUID().toString();
        try (StubApi api = StubApi.start(ApiScript.turns());
                BareClaude cli = run(api, Map.of(), "--resume", id, "go")) {
            assertThat(cli.exitCode()).isEqualTo(1);
            assertThat(cli.result().subtype()).isEqualTo("error_during_execution");
            assertThat(cli.result().isError()).isTrue();
            assertThat(cli.result().text()).contains("No conversation found").contains(id);
            assertThat(api.requests()).isEmpty();
        }
    }

    @Test
    @Fact("line: --max-turns")
    void theLimitOfTurnsIsAnErrorOfItsOwn() {
        try (StubApi api = StubApi.start(ApiScript.always(ApiReply.use("Bash", "command", "true")));
                BareClaude cli = run(api, Map.of(), "--max-turns", "2", "go")) {
            assertThat(cli.exitCode()).isEqualTo(1);
            assertThat(cli.result().subtype()).isEqualTo("error_max_turns");
            assertThat(cli.result().isError()).isTrue();
        }
    }

    @Test
    @Fact("line: --verbose")
    void streamJsonNeedsVerbose() {
        try (StubApi api = StubApi.start(ApiScript.turns());
                BareClaude cli = BareClaude.start(
                                directory,
                                api.baseUrl(),
                                Map.of(),
                                List.of("-p", "--output-format", "stream-json", "go"))
                        .closeStdin()) {
            assertThat(cli.exitCode()).isEqualTo(1);
            assertThat(cli.stderr()).contains("--verbose");
        }
    }

    @Test
    @Fact("line: a line that is no JSON")
    void aLineThatIsNoJsonEndsIt() {
        try (StubApi api = StubApi.start(ApiScript.turns());
                BareClaude cli =
                        BareClaude.print(directory, api.baseUrl(), Map.of(), "--input-format", "stream-json")) {
            cli.send("garbage");
            cli.closeStdin();
            assertThat(cli.exitCode()).isEqualTo(1);
            assertThat(cli.events(ClaudeEvent.Result.class)).isEmpty();
        }
    }

    private BareClaude run(StubApi api, Map<String, String> more, String... arguments) {
        return BareClaude.print(directory, api.baseUrl(), more, arguments).closeStdin();
    }

    private static ApiReply endlessBash() {
        return ApiReply.use("Bash", "command", "echo $$ >part.pid; mv part.pid child.pid; sleep 300; true");
    }

    private String session(String id) throws IOException {
        try (Stream<Path> files = Files.walk(directory.resolve("home/.claude/projects"))) {
            Path file = files.filter(path -> path.getFileName().toString().equals(id + ".jsonl"))
                    .findFirst()
                    .orElseThrow();
            return Files.readString(file);
        }
    }
}
