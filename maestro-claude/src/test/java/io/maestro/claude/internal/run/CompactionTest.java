package io.maestro.claude.internal.run;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.claude.ClaudeStreamParser;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The lines are those of the real CLI when it is told to shorten its conversation. */
class CompactionTest {
    @Test
    void theWatchdogKnowsThatTheConversationIsBeingShortened() {
        AtomicLong nanos = new AtomicLong();
        Watchdog watchdog = new Watchdog(nanos::get, Duration.ofHours(1), Duration.ofMinutes(1));
        ClaudeStreamParser parser = new ClaudeStreamParser(watchdog::heard);

        parser.feed(line("\"status\":\"compacting\""));
        nanos.addAndGet(Duration.ofMinutes(10).toNanos());
        assertThat(watchdog.verdict()).isEmpty();

        parser.feed(line("\"status\":null,\"compact_result\":\"success\""));
        nanos.addAndGet(Duration.ofMinutes(1).toNanos());
        assertThat(watchdog.verdict()).isPresent();
    }

    private static byte[] line(String status) {
        return ("{\"type\":\"system\",\"subtype\":\"status\"," + status + ",\"session_id\":\"s\"}\n")
                .getBytes(StandardCharsets.UTF_8);
    }
}
