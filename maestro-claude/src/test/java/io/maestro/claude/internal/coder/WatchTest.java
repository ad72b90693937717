package io.maestro.claude.internal.coder;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.claude.ClaudeEvent;
import io.maestro.claude.ClaudeEvent.ToolResult;
import io.maestro.claude.ClaudeEvent.ToolUse;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class WatchTest {
    private static final Optional<String> MAIN = Optional.empty();

    private final FakeTask task = new FakeTask();
    private final Watch watch = new Watch(task, happening -> {
        throw new AssertionError(happening);
    });

    private void happens(ClaudeEvent... events) {
        for (ClaudeEvent event : events) {
            watch.onEvent(event);
        }
    }

    @Test
    void listenersAreToldOfTheClisOwnToolsAndNotTwiceOfMaestros() {
        happens(
                new ToolUse("t1", "Bash", "{\"command\":\"ls\"}", MAIN),
                new ToolUse("t2", "mcp__maestro__shell", "{}", MAIN),
                new ToolUse("t3", "Read", "{}", Optional.of("t0")),
                new ToolResult("t3", "no such file", true, Optional.of("t0")),
                new ToolResult("t2", "ran", false, MAIN),
                new ToolResult("t1", "a.txt", false, MAIN));
        assertThat(task.ownTools)
                .containsExactly(
                        "t1 Bash {\"command\":\"ls\"}", "t3 Read {}", "t3 Read failed no such file", "t1 Bash a.txt");
        assertThat(task.records).hasSize(3);
    }

    @Test
    void anAnswerToNoCallIsToldToNobody() {
        happens(new ToolResult("t9", "late", false, MAIN));
        assertThat(task.ownTools).isEmpty();
    }
}
