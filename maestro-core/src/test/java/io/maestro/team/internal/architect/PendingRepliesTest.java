package io.maestro.team.internal.architect;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.agent.Architect;
import io.maestro.telemetry.Telemetry;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PendingRepliesTest {
    private static final Architect APPROVES = new Architect() {
        @Override
        public String id() {
            return "architect";
        }

        @Override
        public Reply reply(Request request) {
            return new Reply(request.id(), Decision.APPROVED, "");
        }
    };

    /** On a busy machine a thread begins late; here at least one of many does. */
    @Test
    void whoWasCancelledBeforeHeBeganIsNotWaitedFor() {
        try (PendingReplies replies = new PendingReplies(story -> {}, Telemetry.NONE)) {
            for (int i = 0; i < 100; i++) {
                Architect.Request request = new Architect.Request(
                        "r-" + i, Architect.Kind.QUESTION, "042", 1, 1, "A title", "Content", "coder-001", Map.of());
                assertThat(replies.ask(APPROVES, request, Duration.ofMinutes(1), reply -> {}, () -> {}))
                        .isNotNull();
                long start = System.nanoTime();
                replies.cancel("042");
                assertThat(Duration.ofNanos(System.nanoTime() - start))
                        .as("5 s are for one that hears no interrupt")
                        .isLessThan(Duration.ofSeconds(4));
            }
        }
    }
}
