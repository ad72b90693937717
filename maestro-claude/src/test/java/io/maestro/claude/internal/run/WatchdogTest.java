package io.maestro.claude.internal.run;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.claude.ClaudeEvent;
import io.maestro.claude.ClaudeResult.Ending;
import io.maestro.llm.Usage;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class WatchdogTest {
    /** Near the largest value: a clock of nanoseconds may overflow. */
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_000_000_000L);

    private final Watchdog watchdog = new Watchdog(nanos::get, Duration.ofMinutes(60), Duration.ofMinutes(5));

    private void minutes(int minutes) {
        nanos.addAndGet(Duration.ofMinutes(minutes).toNanos());
    }

    private Optional<Ending> verdict() {
        return watchdog.verdict().map(Watchdog.Verdict::ending);
    }

    private static ClaudeEvent.ToolUse use(String id, String name) {
        return new ClaudeEvent.ToolUse(id, name, "{}", Optional.empty());
    }

    private static ClaudeEvent.ToolResult result(String id) {
        return new ClaudeEvent.ToolResult(id, "", false, Optional.empty());
    }

    @Test
    void silenceIsAStall() {
        minutes(4);
        assertThat(verdict()).isEmpty();
        watchdog.heard(new ClaudeEvent.Other("stream_event"));
        minutes(4);
        assertThat(verdict()).isEmpty();
        minutes(1);
        assertThat(verdict()).contains(Ending.STALLED);
    }

    @Test
    void silenceDoesNotCountUntilTheLastOfSeveralToolsHasAnswered() {
        watchdog.heard(use("1", "Bash"));
        watchdog.heard(use("2", "mcp__maestro__ask"));
        minutes(10);
        watchdog.heard(result("1"));
        minutes(10);
        assertThat(verdict()).isEmpty();
        watchdog.heard(result("2"));
        minutes(4);
        assertThat(verdict()).isEmpty();
        minutes(1);
        assertThat(verdict()).contains(Ending.STALLED);
    }

    @Test
    void aSubAgentMayNotBeSilent() {
        watchdog.heard(use("1", "Agent"));
        minutes(5);
        assertThat(verdict()).contains(Ending.STALLED);
    }

    @Test
    void silenceCountsFromTheEndOfADelayThatTheCliHasNamed() {
        watchdog.heard(new ClaudeEvent.ApiRetry(1, 429, Duration.ofMinutes(10).toMillis()));
        minutes(14);
        assertThat(verdict()).isEmpty();
        minutes(1);
        assertThat(verdict()).contains(Ending.STALLED);
    }

    @Test
    void whatIsHeardAfterADelayBeginsTheSilenceAnew() {
        watchdog.heard(new ClaudeEvent.ApiRetry(1, 429, Duration.ofMinutes(1).toMillis()));
        minutes(4);
        watchdog.heard(new ClaudeEvent.Other("x"));
        minutes(4);
        assertThat(verdict()).isEmpty();
        minutes(1);
        assertThat(verdict()).contains(Ending.STALLED);
    }

    @Test
    void silenceDoesNotCountWhileTheConversationIsShortened() {
        watchdog.heard(new ClaudeEvent.Other("system/status/compacting"));
        minutes(20);
        assertThat(verdict()).isEmpty();
        watchdog.heard(new ClaudeEvent.Other("system/compact_boundary"));
        minutes(5);
        assertThat(verdict()).contains(Ending.STALLED);
    }

    @Test
    void betweenTurnsOnlyTheWholeTimeCounts() {
        watchdog.heard(use("1", "Bash"));
        watchdog.heard(new ClaudeEvent.Result(
                "success", false, "", 1, BigDecimal.ZERO, Usage.NONE, Map.of(), 0, "end_turn", "s"));
        minutes(30);
        assertThat(verdict()).isEmpty();
        watchdog.asked();
        minutes(4);
        assertThat(verdict()).isEmpty();
        minutes(1);
        assertThat(verdict()).contains(Ending.STALLED);
    }

    @Test
    void theWholeTimeCountsWhateverIsInFlight() {
        watchdog.heard(use("1", "mcp__maestro__ask"));
        minutes(59);
        assertThat(verdict()).isEmpty();
        minutes(1);
        assertThat(watchdog.verdict()).hasValueSatisfying(verdict -> {
            assertThat(verdict.ending()).isEqualTo(Ending.TIMED_OUT);
            assertThat(verdict.reason()).contains("3600 s").contains("mcp__maestro__ask");
        });
    }

    @Test
    void noTimePassesWhileTheLimitsAreSuspended() {
        minutes(3);
        watchdog.suspend();
        minutes(600);
        watchdog.suspend();
        minutes(600);
        assertThat(verdict()).isEmpty();
        watchdog.heard(new ClaudeEvent.Other("stream_event"));
        watchdog.resume();
        watchdog.resume();
        minutes(4);
        assertThat(verdict()).isEmpty();
        minutes(1);
        assertThat(verdict()).contains(Ending.STALLED);
        watchdog.heard(use("1", "Bash"));
        minutes(51);
        assertThat(verdict()).isEmpty();
        minutes(1);
        assertThat(verdict()).contains(Ending.TIMED_OUT);
    }

    @Test
    void limitsOfAnyLengthAreTaken() {
        Watchdog patient =
                new Watchdog(nanos::get, Duration.ofSeconds(Long.MAX_VALUE), Duration.ofSeconds(Long.MAX_VALUE));
        patient.heard(new ClaudeEvent.ApiRetry(1, 0, Long.MAX_VALUE));
        minutes(1_000_000);
        assertThat(patient.verdict()).isEmpty();
    }
}
