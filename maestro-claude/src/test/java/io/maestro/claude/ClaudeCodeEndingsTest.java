package io.maestro.claude;

import static io.maestro.claude.CliBench.await;
import static io.maestro.claude.CliBench.until;
import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.claude.ClaudeResult.Ending;
import io.maestro.claude.internal.run.McpLink;
import io.maestro.claude.testing.Fact;
import io.maestro.claude.testing.RequiresClaude;
import io.maestro.error.MaestroException;
import io.maestro.llm.Usage;
import io.maestro.testing.Full;
import io.maestro.testkit.api.ApiReply;
import io.maestro.testkit.api.ApiRequest;
import io.maestro.testkit.api.ApiScript;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each way in which a run of the real CLI ends, but the good one. */
@RequiresClaude
class ClaudeCodeEndingsTest {
    @TempDir
    Path directory;

    private ClaudeResult run(ApiScript script, Consumer<ClaudeCode.Builder> change) {
        try (CliBench bench = new CliBench(directory, script)) {
            ClaudeCode.Builder claude = bench.claude();
            change.accept(claude);
            try (ClaudeRun run = claude.build().start(bench.session, "go")) {
                ClaudeResult result = await(run);
                assertThat(bench.isQuiet())
                        .as("nothing is left when the result is there")
                        .isTrue();
                return result;
            }
        }
    }

    @Test
    void anErrorOfTheApi() {
        isAFailure(529);
    }

    @ParameterizedTest
    @Full("the CLI tells its host the same of each")
    @ValueSource(ints = {400, 401, 403, 404, 413, 429, 500})
    void anotherErrorOfTheApi(int status) {
        isAFailure(status);
    }

    private void isAFailure(int status) {
        ClaudeResult result = run(ApiScript.always(ApiReply.error(status, "planted reason")), claude -> {});
        assertThat(result.ending()).as("%s", result).isEqualTo(Ending.FAILED);
        assertThat(result.text()).isNotBlank();
        assertThat(result.exitCode()).hasValue(1);
    }

    @Test
    @Full("ScriptedRunTest has the same with a script in place of the CLI")
    void theLimitOfTurns() {
        ClaudeResult result = run(
                ApiScript.always(ApiReply.use("Bash", "command", "true")),
                claude -> claude.maxTurns(2).builtInTools(List.of("Bash")));
        assertThat(result.ending()).as("%s", result).isEqualTo(Ending.MAX_TURNS);
        assertThat(result.turns()).isGreaterThan(1);
    }

    @Test
    @Fact("line: --max-budget-usd")
    @Full("ScriptedRunTest has the same with a script in place of the CLI")
    void theLimitOfMoney() {
        ClaudeResult result = run(
                ApiScript.always(ApiReply.use("Bash", "command", "true").usage(new Usage(1_000_000, 10_000, 0, 0))),
                claude -> claude.maxBudget(new BigDecimal("0.50")));
        assertThat(result.ending()).as("%s", result).isEqualTo(Ending.MAX_BUDGET);
        assertThat(result.cost()).isGreaterThan(new BigDecimal("0.50"));
    }

    @Test
    void aSessionThatIsNotThere() {
        try (CliBench bench = new CliBench(directory, ApiScript.turns());
                ClaudeRun run = bench.claude().build().resume(UUID.randomUUID().toString(), "go on")) {
            ClaudeResult result = await(run);
            assertThat(result.ending()).as("%s", result).isEqualTo(Ending.UNKNOWN_SESSION);
            assertThat(result.text()).contains(run.sessionId());
        }
    }

    @Test
    @Full("ScriptedRunTest has the same with a script in place of the CLI")
    void aSessionThatIsThereAlready() {
        try (CliBench bench = new CliBench(directory, ApiScript.always(ApiReply.text("ok")))) {
            ClaudeCode claude = bench.claude().build();
            try (ClaudeRun run = claude.start(bench.session, "go")) {
                assertThat(await(run).ending()).isEqualTo(Ending.COMPLETED);
            }
            try (ClaudeRun run = claude.start(bench.session, "go")) {
                ClaudeResult result = await(run);
                assertThat(result.ending()).as("%s", result).isEqualTo(Ending.SESSION_EXISTS);
                assertThat(result.exitCode()).hasValue(1);
            }
        }
    }

    @Test
    @Full("ScriptedRunTest has the same with a script in place of the CLI")
    void aServerThatCannotBeReached() {
        ClaudeResult result = run(
                ApiScript.always(ApiReply.hang()),
                claude ->
                        claude.mcpByProxy(List.of("sh", "-c", "exit 1"), Map.of("MAESTRO_MCP_TOKEN", "planted-token")));
        assertThat(result.ending()).as("%s", result).isEqualTo(Ending.FAILED);
        assertThat(result.text()).contains("does not reach the MCP server").doesNotContain("planted-token");
    }

    @Test
    void endingWhileACommandRuns() {
        ApiScript script = request ->
                request.heard("go on") ? ApiReply.text("again") : ApiReply.use("Bash", "command", "sleep 600");
        try (CliBench bench = new CliBench(directory, script)) {
            ClaudeRun run = bench.claude().build().start(bench.session, "go");
            until(() -> !bench.events(ClaudeEvent.ToolUse.class).isEmpty());
            run.end();
            ClaudeResult result = await(run);
            assertThat(result.ending()).isEqualTo(Ending.ENDED);
            assertThat(bench.isQuiet()).isTrue();
            run.close();
            resumes(bench);
        }
    }

    @Test
    @Full("ScriptedRunTest has the same with a script in place of the CLI")
    void endingAtOnce() {
        try (CliBench bench = new CliBench(directory, ApiScript.always(ApiReply.hang()))) {
            ClaudeRun run = bench.claude().build().start(bench.session, "go");
            run.close();
            assertThat(await(run).ending()).isEqualTo(Ending.ENDED);
            assertThat(bench.isQuiet()).isTrue();
        }
    }

    @Test
    @Full("ScriptedRunTest has the same with a script in place of the CLI")
    void anInterruptEndsTheWaitingAndDoesNotDisturbTheEnd() {
        try (CliBench bench = new CliBench(directory, ApiScript.always(ApiReply.hang()))) {
            ClaudeRun run = bench.claude().build().start(bench.session, "go");
            bench.api.awaitConversations(1);
            Thread.currentThread().interrupt();
            assertThat(run.await(Duration.ofMinutes(1))).isEmpty();
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
            run.close();
            assertThat(bench.isQuiet()).isTrue();
            assertThat(Thread.interrupted()).isTrue();
            assertThat(await(run).ending()).isEqualTo(Ending.ENDED);
        }
    }

    @Test
    @Full("ScriptedRunTest has the same with a script in place of the CLI")
    void anApiThatIsSilentIsAStallAndTheSessionGoesOn() {
        ApiScript script = request -> request.heard("go on") ? ApiReply.text("again") : ApiReply.hang();
        try (CliBench bench = new CliBench(directory, script)) {
            ClaudeRun run = bench.claude()
                    .inactivityLimit(Duration.ofMinutes(5))
                    .build()
                    .start(bench.session, "go");
            bench.api.awaitConversations(1);
            until(() -> !bench.events(ClaudeEvent.Init.class).isEmpty());
            // What the CLI says meanwhile is a new beginning of the silence.
            until(() -> {
                bench.nanos.addAndGet(Duration.ofMinutes(5).toNanos());
                return run.await(Duration.ofMillis(200)).isPresent();
            });
            ClaudeResult result = await(run);
            assertThat(result.ending()).as("%s", result).isEqualTo(Ending.STALLED);
            assertThat(bench.isQuiet()).isTrue();
            run.close();
            resumes(bench);
        }
    }

    @Test
    @Full("ScriptedRunTest has the same with a script in place of the CLI")
    void aCallOfOursThatTakesLongIsNoStallButTheTotalLimitCounts() {
        ApiScript script = ApiScript.turns(ApiReply.use("mcp__maestro__ask"), ApiReply.text("thanks"));
        try (CliBench bench = new CliBench(directory, script)) {
            HeldCall held = new HeldCall();
            ClaudeCode claude = bench.claude()
                    .inactivityLimit(Duration.ofMinutes(1))
                    .totalLimit(Duration.ofHours(1))
                    .mcp(held.server())
                    .build();
            try (ClaudeRun run = claude.start(bench.session, "go")) {
                until(held.called::isDone);
                // Several times: the last words before the call may come late.
                for (int i = 0; i < 4; i++) {
                    bench.nanos.addAndGet(Duration.ofMinutes(5).toNanos());
                    assertThat(run.await(Duration.ofMillis(500))).isEmpty();
                }
                held.answer.complete("the answer");
                assertThat(await(run).text()).isEqualTo("thanks");

                // Between turns silence does not count, the whole time does.
                bench.nanos.addAndGet(Duration.ofMinutes(40).toNanos());
                until(bench::isQuiet);
                assertThatThrownBy(() -> run.say("more")).isInstanceOf(MaestroException.class);
            }
        }
    }

    @Test
    @Full("ScriptedRunTest has the same with a script in place of the CLI")
    void theTotalLimitCountsWhateverRuns() {
        ApiScript script = ApiScript.turns(ApiReply.use("Bash", "command", "sleep 600"));
        try (CliBench bench = new CliBench(directory, script)) {
            ClaudeRun run =
                    bench.claude().totalLimit(Duration.ofHours(1)).build().start(bench.session, "go");
            until(() -> !bench.events(ClaudeEvent.ToolUse.class).isEmpty());
            bench.nanos.addAndGet(Duration.ofHours(1).toNanos());
            ClaudeResult result = await(run);
            assertThat(result.ending()).isEqualTo(Ending.TIMED_OUT);
            assertThat(result.text()).contains("3600 s").contains("Bash");
            assertThat(bench.isQuiet()).isTrue();
            run.close();
        }
    }

    @Test
    @Full("ScriptedRunTest has the same with a script in place of the CLI")
    void noLimitCountsWhileTheHostHasSuspendedThem() {
        ApiScript script = ApiScript.turns(ApiReply.use("mcp__maestro__ask"), ApiReply.text("thanks"));
        try (CliBench bench = new CliBench(directory, script)) {
            HeldCall held = new HeldCall();
            ClaudeCode claude = bench.claude()
                    .totalLimit(Duration.ofHours(1))
                    .mcp(held.server())
                    .build();
            try (ClaudeRun run = claude.start(bench.session, "go")) {
                until(held.called::isDone);
                run.suspendLimits();
                bench.nanos.addAndGet(Duration.ofDays(3).toNanos());
                assertThat(run.await(Duration.ofMillis(500))).isEmpty();
                run.resumeLimits();
                held.answer.complete("the answer");
                assertThat(await(run).text()).isEqualTo("thanks");
            }
        }
    }

    /** A server whose only tool answers when the test wants it to. */
    private static final class HeldCall {
        final CompletableFuture<Void> called = new CompletableFuture<>();
        final CompletableFuture<String> answer = new CompletableFuture<>();

        McpLink server() {
            return CliBench.server("ask", id -> {
                called.complete(null);
                return answer.join();
            });
        }
    }

    /** The former conversation is sent again. */
    private static void resumes(CliBench bench) {
        try (ClaudeRun run = bench.claude().build().resume(bench.session, "go on")) {
            ClaudeResult result = await(run);
            assertThat(result.ending()).as("%s", result).isEqualTo(Ending.COMPLETED);
        }
        List<ApiRequest> requests = bench.api.conversations();
        assertThat(requests.get(requests.size() - 1).userTexts())
                .extracting(String::strip)
                .containsSubsequence("go", "go on");
    }
}
