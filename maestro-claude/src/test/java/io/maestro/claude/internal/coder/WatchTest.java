package io.maestro.claude.internal.coder;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.claude.ClaudeEvent;
import io.maestro.claude.ClaudeEvent.ToolResult;
import io.maestro.claude.ClaudeEvent.ToolUse;
import io.maestro.llm.Usage;
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

    private static String row(String role, String text) {
        return role + " [{\"type\":\"text\",\"text\":\"" + text + "\"}]";
    }

    /** A request has all of the conversation again; the same reminder may be said twice. */
    @Test
    void eachTextIsToldOnceAndWhatIsSaidAgainIsToldAgain() {
        watch.saying("the story");
        assertThat(task.records).isEmpty();
        watch.told("system", "the CLI's own");
        watch.told("user", "the story");
        for (int i = 1; i <= 2; i++) {
            happens(new ClaudeEvent.MessageStart("m" + i, "m", Usage.NONE, MAIN));
            watch.saying("go on");
            watch.told("system", "the CLI's own");
            watch.told("user", "the story");
            watch.told("user", "go on");
            watch.told("user", "<system-reminder>");
        }
        assertThat(task.records)
                .containsExactly(
                        row("system", "the CLI's own"),
                        row("user", "the story"),
                        row("user", "go on"),
                        row("user", "<system-reminder>"),
                        row("user", "go on"));
    }

    @Test
    void withoutAGatewayToldIsWhatTheModelAnswers() {
        watch.saying("never sent");
        watch.saying("the story");
        happens(
                new ClaudeEvent.Said("m1", "<synthetic>", "{\"type\":\"text\",\"text\":\"no key\"}", MAIN),
                new ClaudeEvent.MessageStart("m2", "m", Usage.NONE, MAIN),
                new ClaudeEvent.MessageStart("m3", "m", Usage.NONE, MAIN));
        assertThat(task.records)
                .filteredOn(row -> !row.startsWith("note"))
                .containsExactly(row("system", "instructions"), row("user", "the story"));
    }

    @Test
    void anAnswerToNoCallIsToldToNobody() {
        happens(new ToolResult("t9", "late", false, MAIN));
        assertThat(task.ownTools).isEmpty();
    }
}
