package io.maestro.claude;

import static io.maestro.claude.CliBench.await;
import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.claude.ClaudeResult.Ending;
import io.maestro.claude.testing.Fact;
import io.maestro.error.MaestroException;
import io.maestro.exec.local.LocalExecutor;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What no CLI of a sane version does, done by scripts in its place; and what it is given. */
class ClaudeCodeProgramTest {
    private static final String RESULT =
            "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"ok\",\"num_turns\":1}";

    @TempDir
    Path directory;

    private ClaudeCode.Builder program(String script) throws IOException {
        Path file = directory.resolve("claude-" + UUID.randomUUID());
        Files.writeString(file, "#!/bin/sh\n" + script + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
        return ClaudeCode.builder(LocalExecutor.builder(directory).build())
                .program(file.toString())
                .home(directory.resolve("home").toString());
    }

    private static ClaudeResult run(ClaudeCode.Builder claude) {
        try (ClaudeRun run = claude.build().start(UUID.randomUUID().toString(), "go")) {
            return await(run);
        }
    }

    /** As the real one does when neither its home nor /tmp can be written. */
    @Test
    @Fact("exit: success is a result without error")
    void exitCodeZeroWithoutAResultIsNoSuccess() throws IOException {
        ClaudeResult result = run(program("exit 0"));
        assertThat(result.ending()).isEqualTo(Ending.CRASHED);
        assertThat(result.exitCode()).hasValue(0);
        assertThat(result.text()).contains("exit code 0").contains("without a result");
    }

    @Test
    void theErrorsOfAProgramThatFailsAreInTheResult() throws IOException {
        ClaudeResult result =
                run(program("i=0; while [ $i -lt 20000 ]; do echo noise >&2; i=$((i+1)); done; echo why >&2; exit 3"));
        assertThat(result.ending()).isEqualTo(Ending.CRASHED);
        assertThat(result.exitCode()).hasValue(3);
        assertThat(result.text()).contains("why").hasSizeLessThan(10_000);
    }

    @Test
    void aResultCountsWhateverTheExitCode() throws IOException {
        assertThat(run(program("read line; echo '" + RESULT + "'; exit 7")).ending())
                .isEqualTo(Ending.COMPLETED);
    }

    @Test
    void aProgramThatDoesNotEndIsKilledWithAllThatItHasStarted() throws IOException {
        // Other tests run at the same time, and have commands that sleep, too.
        String sleep = "sleep " + ThreadLocalRandom.current().nextInt(100_000, 1_000_000_000);
        ClaudeCode claude = program(
                        "trap '' TERM INT; echo '" + RESULT + "'; " + sleep + " & while true; do sleep 1; done")
                .endLimit(Duration.ofMillis(100))
                .build();
        ClaudeRun run = claude.start(UUID.randomUUID().toString(), "go");
        assertThat(await(run).ending()).isEqualTo(Ending.COMPLETED);
        run.end();
        assertThat(ProcessHandle.allProcesses()
                        .flatMap(process -> process.info().commandLine().stream())
                        .filter(line -> line.contains(directory.toString()) || line.contains(sleep)))
                .isEmpty();
    }

    @Test
    void aProgramThatClosesItsOutputAndLivesOnIsKilled() throws IOException {
        ClaudeResult result = run(program("exec >/dev/null 2>&1; sleep 1234").endLimit(Duration.ofMillis(100)));
        assertThat(result.ending()).isEqualTo(Ending.CRASHED);
        assertThat(result.text()).contains("was killed");
    }

    @Test
    void whatIsNoJsonIsSkipped() throws IOException {
        assertThat(run(program("echo rubbish; echo '[1]'; echo '{\"type\":\"new\"}'; echo '" + RESULT
                                + "'; cat >/dev/null"))
                        .ending())
                .isEqualTo(Ending.COMPLETED);
    }

    @Test
    void aMissingProgramAndAStateDirectoryThatCannotBeMadeAreErrorsAtOnce() throws IOException {
        assertThatThrownBy(() -> program("exit 0")
                        .program("no-such-program-" + UUID.randomUUID())
                        .build()
                        .start(UUID.randomUUID().toString(), "go"))
                .isInstanceOf(MaestroException.class)
                .hasMessageContainingAll("no-such-program", "there is no such program");
        assertThatThrownBy(() -> program("exit 0")
                        .stateDirectory("/proc/planted")
                        .build()
                        .start(UUID.randomUUID().toString(), "go"))
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("/proc/planted")
                .hasMessageContaining("owner");
    }

    @Test
    void allSettingsReachTheProgramAndNoSecretIsInItsArguments() throws IOException {
        Path seen = directory.resolve("seen");
        String session = UUID.randomUUID().toString();
        ClaudeCode claude = program("for a in \"$@\"; do printf '[%s]' \"$a\"; done >" + seen + "; env >" + seen
                        + ".env; pwd >" + seen + ".pwd; cat \"$HOME/state/maestro-prompt-" + session + ".md\" >" + seen
                        + ".prompt; echo '" + RESULT + "'; cat >/dev/null")
                .model("opus")
                .workingDirectory(
                        Files.createDirectory(directory.resolve("work")).toString())
                .stateDirectory(directory.resolve("home/state").toString())
                .systemPrompt("Be good.")
                .builtInTools(List.of())
                .disallowedTools(List.of("WebFetch", "WebSearch"))
                .mcpByProxy(List.of("sh", "/tmp/proxy.sh", "1234"), Map.of("MAESTRO_MCP_TOKEN", "planted-token"))
                .api(new ApiAccess("http://localhost:1", "planted-key", Optional.of("/run/api.sock")))
                .maxTurns(7)
                .maxBudget(new BigDecimal("1E+1"))
                .totalLimit(Duration.ofHours(3))
                .environment("PLANTED", "more")
                .build();
        try (ClaudeRun run = claude.start(session, "go")) {
            // The script says nothing of a server.
            assertThat(await(run).ending()).isEqualTo(Ending.COMPLETED);
        }
        assertThat(Files.readString(seen))
                .contains("[-p][--output-format][stream-json][--input-format][stream-json][--verbose]")
                .contains("[--strict-mcp-config][--setting-sources][]")
                .contains("[--session-id][" + session + "]")
                .contains("[--model][opus][--append-system-prompt-file]")
                .contains("[--tools][][--disallowedTools][WebFetch,WebSearch]")
                .contains("\"args\":[\"/tmp/proxy.sh\",\"1234\"]")
                .contains("[--max-turns][7][--max-budget-usd][10]")
                .doesNotContain("planted");
        assertThat(Files.readString(Path.of(seen + ".env")))
                .contains(
                        "MAESTRO_MCP_TOKEN=planted-token",
                        "ANTHROPIC_API_KEY=planted-key",
                        "ANTHROPIC_BASE_URL=http://localhost:1",
                        "ANTHROPIC_UNIX_SOCKET=/run/api.sock",
                        "CLAUDE_CONFIG_DIR=" + directory.resolve("home/state"),
                        "MCP_CONNECTION_NONBLOCKING=0",
                        "MCP_TOOL_TIMEOUT=604800000",
                        "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1",
                        "DISABLE_AUTOUPDATER=1",
                        "PLANTED=more");
        assertThat(Files.readString(Path.of(seen + ".pwd")).strip())
                .isEqualTo(directory.resolve("work").toString());
        assertThat(Files.readString(Path.of(seen + ".prompt"))).isEqualTo("Be good.");
    }

    @Test
    void settingsAreChecked() throws IOException {
        ClaudeCode.Builder claude = program("exit 0");
        assertThatThrownBy(() -> claude.maxTurns(0)).hasMessageContaining("is 0");
        assertThatThrownBy(() -> claude.maxBudget(BigDecimal.ZERO)).hasMessageContaining("is 0");
        assertThatThrownBy(() -> claude.totalLimit(Duration.ZERO)).hasMessageContaining("totalLimit");
        assertThatThrownBy(() -> claude.model(" ")).hasMessageContaining("model");
        assertThatThrownBy(() -> claude.mcpByProxy(List.of(), Map.of())).hasMessageContaining("command");
    }
}
