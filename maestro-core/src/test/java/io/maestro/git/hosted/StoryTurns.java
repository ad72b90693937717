package io.maestro.git.hosted;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.testkit.Reply;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** What coders do in stories on a scripted server, and how a test waits for them. */
final class StoryTurns {
    private StoryTurns() {}

    static Reply write(String content) {
        return Reply.toolCall("write_file", Map.of("path", "a.txt", "content", content));
    }

    static Reply done(String summary) {
        return Reply.toolCall("done", Map.of("summary", summary));
    }

    static void await(ScriptedServer server, BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime())
                    .as("it came within a minute, after %s", server.log)
                    .isLessThan(deadline);
            LockSupport.parkNanos(1_000_000);
        }
    }
}
