package io.maestro.claude;

import static io.maestro.claude.CliBench.await;
import static io.maestro.claude.CliBench.until;
import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.claude.ClaudeResult.Ending;
import io.maestro.claude.internal.run.McpLink;
import io.maestro.claude.testing.Transcripts;
import io.maestro.error.MaestroException;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.mcp.McpConnection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How a run ends, and what its limits do, with a script in place of the CLI that prints what the CLI has printed once. */
class ScriptedRunTest {
    private static final String RESULT =
            "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"ok\",\"num_turns\":1}";

    /** It knows how it is used: the first message follows. */
    private static final String READY = "{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\","
            + "\"request_id\":\"maestro-initialize\",\"response\":{}}}";

    /** As long as its input is open: the library closes that when it wants the CLI to end. */
    private static final String LIVES_ON = "cat >/dev/null";

    @TempDir
    Path directory;

    private final AtomicLong nanos = new AtomicLong();
    private final List<ClaudeEvent> events = new CopyOnWriteArrayList<>();
    private final String session = UUID.randomUUID().toString();
    private Path workspace;

    @BeforeEach
    void workspace() throws IOException {
        workspace = Files.createDirectory(directory.resolve("workspace"));
    }

    private ClaudeCode.Builder claude(String... lines) throws IOException {
        Path program = directory.resolve("claude");
        Files.writeString(program, "#!/bin/sh\n" + String.join("\n", lines) + "\n");
        assertThat(program.toFile().setExecutable(true)).isTrue();
        return ClaudeCode.builder(LocalExecutor.builder(workspace).build())
                .program(program.toString())
                .home(directory.resolve("home").toString())
                .clock(nanos::get)
                .listener(events::add);
    }

    /** A command that prints what the CLI has printed in this run; the files are the test's own. */
    private String recorded(String transcript) throws IOException {
        return "cat " + Files.write(directory.resolve(transcript), Transcripts.output(transcript));
    }

    private static String print(String line) {
        return "echo '" + line + "'";
    }

    /** A call that is not answered yet. */
    private static String calls(String tool) {
        return print("{\"type\":\"assistant\",\"message\":{\"id\":\"m\",\"model\":\"x\",\"content\":["
                + "{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"" + tool + "\",\"input\":{}}]}}");
    }

    /** Waits until the test makes the file. */
    private static String waitFor(String file) {
        return "while [ ! -e " + file + " ]; do sleep 0.02; done";
    }

    private void make(String file) throws IOException {
        Files.createFile(workspace.resolve(file));
    }

    private boolean has(Class<? extends ClaudeEvent> type) {
        return events.stream().anyMatch(type::isInstance);
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "01_bash_write | COMPLETED | All done.",
                "04_resume_unknown | UNKNOWN_SESSION | No conversation found",
                "20_api_401 | FAILED | Invalid API key",
                "24_api_529_exhausted | FAILED | 529",
                "27_max_turns | MAX_TURNS | Reached maximum number",
            })
    void whatTheCliSaysIsTheEnding(String transcript, Ending ending, String text) throws IOException {
        ClaudeCode claude =
                claude("read -r line", recorded(transcript), LIVES_ON).build();
        try (ClaudeRun run = claude.start(session, "go")) {
            ClaudeResult result = await(run);
            assertThat(result.ending()).as("%s", result).isEqualTo(ending);
            assertThat(result.text()).contains(text);
        }
    }

    @Test
    void theLimitOfMoneyIsAnEndingOfItsOwn() throws IOException {
        String spent = "{\"type\":\"result\",\"subtype\":\"error_max_budget_usd\",\"is_error\":true,\"num_turns\":2,"
                + "\"total_cost_usd\":0.75,\"errors\":[\"Reached maximum budget\"]}";
        try (ClaudeRun run =
                claude("read -r line", print(spent), LIVES_ON).build().start(session, "go")) {
            ClaudeResult result = await(run);
            assertThat(result.ending()).as("%s", result).isEqualTo(Ending.MAX_BUDGET);
            assertThat(result.cost()).isEqualByComparingTo("0.75");
        }
    }

    @Test
    void aSessionThatIsThereAlreadyIsSaidOnStderrOnly() throws IOException {
        ClaudeCode claude = claude("echo 'Error: Session ID " + session + " is already in use.' >&2; exit 1")
                .build();
        try (ClaudeRun run = claude.start(session, "go")) {
            ClaudeResult result = await(run);
            assertThat(result.ending()).as("%s", result).isEqualTo(Ending.SESSION_EXISTS);
            assertThat(result.exitCode()).hasValue(1);
        }
    }

    @Test
    void withoutItsServerARunDoesNotGoOn() throws IOException {
        ClaudeCode claude = claude("read -r line", recorded("17_mcp_pending"), LIVES_ON)
                .mcpByProxy(List.of("proxy.sh"), Map.of("MAESTRO_MCP_TOKEN", "planted-token"))
                .build();
        try (ClaudeRun run = claude.start(session, "go")) {
            ClaudeResult result = await(run);
            assertThat(result.ending()).as("%s", result).isEqualTo(Ending.FAILED);
            assertThat(result.text())
                    .contains("does not reach the MCP server by proxy.sh, ", "'pending'")
                    .doesNotContain("planted-token");
        }
    }

    /** Whatever else the CLI would do, and whatever it says then: its main conversation calls nothing any more. */
    @Test
    void aCliThatRunsAToolUnaskedIsKilledAndCallsNothingMore() throws IOException {
        String failed =
                "{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"toolu_1\","
                        + "\"is_error\":true,\"content\":\"Exit code 1\"}]}}";
        ClaudeCode claude = claude(
                        "read -r line",
                        calls("Bash"),
                        print(failed),
                        calls("mcp__maestro__done").replace("toolu_1", "toolu_2"),
                        print(RESULT),
                        "trap '' TERM",
                        "read -r line && touch asked-to-end",
                        "read -r line; touch goes-on")
                .toolGate((id, tool, input) -> Optional.empty())
                .build();
        try (ClaudeRun run = claude.start(session, "go")) {
            ClaudeResult result = await(run);
            assertThat(result.ending()).as("%s", result).isEqualTo(Ending.GATE_BYPASSED);
            assertThat(result.text()).contains("Bash without asking first");
            assertThat(run.mainUse("toolu_2", "done", Duration.ZERO)).isEmpty();
        }
        assertThat(workspace).isEmptyDirectory();
    }

    @Test
    void theEndOfARunIsTheEndOfItsConnectionToTheServer() throws IOException {
        AtomicBoolean closed = new AtomicBoolean();
        McpLink server = new McpLink.Channel(toClient -> new McpConnection() {
            @Override
            public void receive(String message) {}

            @Override
            public void close() {
                closed.set(true);
            }
        });
        ClaudeCode claude = claude("read -r line", print(READY), "read -r line", print(RESULT), LIVES_ON)
                .mcp(server)
                .build();
        ClaudeRun run = claude.start(session, "go");
        assertThat(await(run).ending()).isEqualTo(Ending.COMPLETED);
        assertThat(closed).isFalse();

        run.end();

        assertThat(closed).isTrue();
    }

    @Test
    void silenceIsAStall() throws IOException {
        ClaudeCode claude = claude("read -r line", print("{\"type\":\"any\"}"), LIVES_ON)
                .inactivityLimit(Duration.ofMinutes(5))
                .build();
        try (ClaudeRun run = claude.start(session, "go")) {
            until(() -> has(ClaudeEvent.Other.class));
            pass(Duration.ofMinutes(5));
            ClaudeResult result = await(run);
            assertThat(result.ending()).as("%s", result).isEqualTo(Ending.STALLED);
        }
    }

    @Test
    void aCallThatTakesLongIsNoStallAndTheWholeTimeCountsBetweenTurns() throws IOException {
        ClaudeCode claude = claude(
                        "read -r line",
                        calls("mcp__maestro__ask"),
                        waitFor("answered"),
                        print("{\"type\":\"user\",\"message\":{\"content\":["
                                + "{\"type\":\"tool_result\",\"tool_use_id\":\"toolu_1\",\"content\":\"x\"}]}}"),
                        print(RESULT),
                        LIVES_ON)
                .inactivityLimit(Duration.ofMinutes(1))
                .totalLimit(Duration.ofHours(1))
                .build();
        try (ClaudeRun run = claude.start(session, "go")) {
            until(() -> has(ClaudeEvent.ToolUse.class));
            pass(Duration.ofMinutes(20));
            // More than the library takes to look at its limits.
            assertThat(run.await(Duration.ofMillis(500))).isEmpty();
            make("answered");
            assertThat(await(run).ending()).isEqualTo(Ending.COMPLETED);

            pass(Duration.ofMinutes(40));
            until(() -> programIsGone());
            assertThatThrownBy(() -> run.say("more")).isInstanceOf(MaestroException.class);
        }
    }

    private boolean programIsGone() {
        return ProcessHandle.allProcesses()
                .flatMap(process -> process.info().commandLine().stream())
                .noneMatch(line -> line.contains(directory.resolve("claude").toString()));
    }

    @Test
    void theTotalLimitCountsWhateverRuns() throws IOException {
        ClaudeCode claude = claude("read -r line", calls("Bash"), LIVES_ON)
                .totalLimit(Duration.ofHours(1))
                .build();
        try (ClaudeRun run = claude.start(session, "go")) {
            until(() -> has(ClaudeEvent.ToolUse.class));
            pass(Duration.ofHours(1));
            ClaudeResult result = await(run);
            assertThat(result.ending()).as("%s", result).isEqualTo(Ending.TIMED_OUT);
            assertThat(result.text()).contains("3600 s").contains("Bash");
        }
    }

    @Test
    void noLimitCountsWhileTheHostHasSuspendedThem() throws IOException {
        ClaudeCode claude = claude(
                        "read -r line", print("{\"type\":\"any\"}"), waitFor("suspended"), print(RESULT), LIVES_ON)
                .totalLimit(Duration.ofHours(1))
                .inactivityLimit(Duration.ofMinutes(5))
                .build();
        try (ClaudeRun run = claude.start(session, "go")) {
            until(() -> has(ClaudeEvent.Other.class));
            run.suspendLimits();
            pass(Duration.ofDays(3));
            // More than the library takes to look at its limits.
            assertThat(run.await(Duration.ofMillis(500))).isEmpty();
            run.resumeLimits();
            make("suspended");
            assertThat(await(run).ending()).isEqualTo(Ending.COMPLETED);
        }
    }

    @Test
    void itMayBeEndedAtOnce() throws IOException {
        ClaudeRun run = claude(LIVES_ON).build().start(session, "go");
        run.close();
        assertThat(await(run).ending()).isEqualTo(Ending.ENDED);
        assertThat(programIsGone()).isTrue();
    }

    @Test
    void anInterruptEndsTheWaitingAndDoesNotDisturbTheEnd() throws IOException {
        ClaudeRun run = claude(LIVES_ON).build().start(session, "go");
        Thread.currentThread().interrupt();
        assertThat(run.await(Duration.ofMinutes(1))).isEmpty();
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        run.close();
        assertThat(programIsGone()).isTrue();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(await(run).ending()).isEqualTo(Ending.ENDED);
    }

    /** An agent can have written them; where no place was named they are the user's. */
    @Test
    void ofTheClisOwnSettingsNoneAreInItsPlaceForSessions() throws IOException {
        Path state = Files.createDirectories(directory.resolve("home/.claude"));
        for (String name : List.of(".claude.json", ".config.json", "session.jsonl")) {
            Files.writeString(state.resolve(name), "{}");
        }
        String look = "ls -A \"$HOME/.claude\" >seen";
        try (ClaudeRun run = claude(look, print(RESULT), LIVES_ON).build().start(session, "go")) {
            assertThat(await(run).ending()).isEqualTo(Ending.COMPLETED);
        }
        assertThat(workspace.resolve("seen")).hasContent(".claude.json\n.config.json\nsession.jsonl");
        try (ClaudeRun run = claude(look, print(RESULT), LIVES_ON)
                .stateDirectory(state.toString())
                .build()
                .start(session, "go")) {
            assertThat(await(run).ending()).isEqualTo(Ending.COMPLETED);
        }
        assertThat(workspace.resolve("seen")).hasContent("session.jsonl");
    }

    @Test
    void aListenerThatFailsDoesNotEndTheRun() throws IOException {
        ClaudeCode claude = claude("read -r line", print(RESULT), LIVES_ON)
                .listener(event -> {
                    throw new IllegalStateException("planted");
                })
                .build();
        try (ClaudeRun run = claude.start(session, "go")) {
            assertThat(await(run).ending()).isEqualTo(Ending.COMPLETED);
        }
    }

    @Test
    void aLongSystemPromptAndALongMessageArriveAndAHugeResultIsRead() throws IOException {
        String prompt = "p".repeat(200_000) + " end of the prompt äöü";
        String message = "m".repeat(200_000) + " end of the message \u2028 äöü";
        Path result = Files.writeString(
                directory.resolve("result"), RESULT.replace("\"ok\"", "\"" + "x".repeat(400_000) + "\"") + "\n");
        ClaudeCode claude = claude(
                        "cat \"$HOME\"/state/maestro-prompt-* >prompt",
                        "read -r line",
                        print(READY),
                        "head -n 1 >message",
                        "cat " + result,
                        LIVES_ON)
                .stateDirectory(directory.resolve("home/state").toString())
                .systemPrompt(prompt)
                .build();
        try (ClaudeRun run = claude.start(session, message)) {
            assertThat(await(run).text()).isEqualTo("x".repeat(400_000));
        }
        assertThat(Files.readString(workspace.resolve("prompt"))).isEqualTo(prompt);
        assertThat(Files.readString(workspace.resolve("message")).length()).isGreaterThan(message.length());
        assertThat(Files.readString(workspace.resolve("message")))
                .containsAnyOf("end of the message \u2028 äöü", "end of the message \\u2028 äöü");
    }
}
