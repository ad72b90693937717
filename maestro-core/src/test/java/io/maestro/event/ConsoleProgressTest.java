package io.maestro.event;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.agent.Architect;
import io.maestro.llm.Price;
import io.maestro.llm.PriceTable;
import io.maestro.llm.Usage;
import io.maestro.story.CoderState;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ConsoleProgressTest {
    private static final String ERASE = "\r\u001b[K";

    private final Time time = new Time();
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    private static final class Time extends Clock {
        private Instant now = Instant.EPOCH;

        void pass(int seconds) {
            now = now.plusSeconds(seconds);
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return now;
        }
    }

    private ConsoleProgress progress(boolean terminal) {
        return ConsoleProgress.builder(new PrintStream(bytes, true, StandardCharsets.UTF_8))
                .terminal(terminal)
                .width(200)
                .clock(time)
                .prices(PriceTable.builder()
                        .model("m", Price.of("10", "10", "10", "10"))
                        .build())
                .withoutTicker()
                .build();
    }

    private String shown() {
        String text = bytes.toString(StandardCharsets.UTF_8);
        bytes.reset();
        return text;
    }

    private static MaestroEvent state(CoderState from, CoderState to, String reason) {
        return new MaestroEvent.StateChanged("042", "coder-001", 1, from, to, reason, null, Instant.EPOCH);
    }

    private static MaestroEvent started(String callId, String arguments) {
        return new MaestroEvent.ToolStarted(
                "042", "coder-001", 1, "CODING", "shell", callId, null, arguments, Instant.EPOCH);
    }

    private static MaestroEvent finished(String tool, boolean error, String summary, String callId) {
        return new MaestroEvent.ToolFinished(
                "042",
                "coder-001",
                1,
                "CODING",
                tool,
                callId,
                null,
                Duration.ofMillis(33),
                error,
                null,
                summary,
                summary,
                Instant.EPOCH);
    }

    @Test
    void anOutageHasALineAtItsBeginningAtItsEndAndNowAndThen() {
        try (ConsoleProgress progress = progress(false)) {
            for (int tries = 0; tries < 40; tries++) {
                progress.onEvent(state(CoderState.CODING, CoderState.SUSPEND, "no answer"));
                time.pass(15);
                progress.onEvent(state(CoderState.SUSPEND, CoderState.CODING, "tries again"));
            }
            progress.onEvent(state(CoderState.CODING, CoderState.TESTING, "done"));
            progress.onEvent(state(CoderState.TESTING, CoderState.SUSPEND, "no answer"));
            progress.onEvent(state(CoderState.SUSPEND, CoderState.ERROR, "gave up"));
        }
        assertThat(shown().lines().map(line -> line.replaceAll("^.*042 +", "").replaceAll(" +", " ")))
                .startsWith(
                        "SUSPEND no answer", "SUSPEND no answer", "TESTING done", "SUSPEND no answer", "ERROR gave up");
    }

    @Test
    void withoutATerminalThereIsALinePerStateAndCall() {
        try (ConsoleProgress progress = progress(false)) {
            progress.onEvent(state(CoderState.PLANNING, CoderState.CODING, "the plan is approved"));
            time.pass(65);
            progress.onEvent(started("a", "{\"cmd\": \"ls\"}"));
            progress.onEvent(started("b", "{\"cmd\": \"false\"}"));
            progress.onEvent(finished("shell", true, "exit code 1", "b"));
            progress.onEvent(finished("shell", false, "exit code 0", "a"));
            progress.onEvent(finished("test", false, "tests passed", "c"));
            progress.onEvent(new MaestroEvent.ModelCalled("042", "coder-001", 1, "CODING", "m", Instant.EPOCH));
            progress.onEvent(new MaestroEvent.ModelAnswered(
                    "042", "coder-001", 1, "CODING", "m", new Usage(100, 10, 0, 0), Duration.ZERO, Instant.EPOCH));
            progress.draw();
            for (Instant until : Arrays.asList(null, Instant.EPOCH)) {
                progress.onEvent(new MaestroEvent.RequestOpened(
                        "042", "coder-001", 1, "042/1/9", Architect.Kind.MERGE, Map.of(), until, Instant.EPOCH));
            }
            progress.onEvent(state(CoderState.AWAIT_MERGE, CoderState.DONE, "merged"));
        }

        assertThat(shown().lines())
                .containsExactly(
                        "00:00  042  CODING         the plan is approved",
                        "01:05  042    coder-001      shell              0.033 s  FAILED {\"cmd\": \"false\"}  exit code 1",
                        "01:05  042    coder-001      shell              0.033 s  {\"cmd\": \"ls\"}  exit code 0",
                        "01:05  042    coder-001      test               0.033 s  tests passed",
                        "01:05  042    waits for people: MERGE, request 042/1/9",
                        "01:05  042  DONE           merged",
                        "01:05  042    01:05, tests passed, 110 tokens, $0.0011");
    }

    @Test
    void theLiveLineSaysHowFarAToolIs() {
        try (ConsoleProgress progress = progress(true)) {
            progress.onEvent(state(CoderState.PLANNING, CoderState.CODING, "go"));
            progress.onEvent(started("a", "{}"));
            for (String call : List.of("a", "none")) {
                progress.onEvent(new MaestroEvent.ToolProgressed(
                        "042", "coder-001", 1, "CODING", "shell", call, "image\u001b[1m: made", Instant.EPOCH));
            }
            shown();
            progress.draw();
            assertThat(shown()).isEqualTo("/ 042 CODING 00:00, coder-001 runs shell (image: made) 0 s");
        }
    }

    @Test
    void onATerminalALiveLineIsDrawnAndErased() {
        ConsoleProgress progress = progress(true);
        progress.onEvent(state(CoderState.PLANNING, CoderState.CODING, "go"));
        progress.onEvent(finished("test", false, "tests failed with exit code 1: make test", "t"));
        progress.onEvent(started("a", "{}"));
        shown();
        time.pass(3);
        progress.draw();
        assertThat(shown()).isEqualTo("/ 042 CODING 00:03, coder-001 runs shell 3 s, tests failed");
        progress.draw();
        assertThat(shown()).isEqualTo(ERASE + "- 042 CODING 00:03, coder-001 runs shell 3 s, tests failed");
        progress.onEvent(finished("shell", false, "fine", "a"));
        assertThat(shown()).startsWith(ERASE + "00:03  042").endsWith("fine" + System.lineSeparator());
        progress.draw();
        shown();

        progress.close();
        progress.close();
        progress.onEvent(state(CoderState.CODING, CoderState.ERROR, "late"));
        progress.draw();

        assertThat(shown()).as("the line is erased once, and nothing follows").isEqualTo(ERASE);
    }

    @Test
    void controlCharactersOfModelsAndToolsDoNotReachTheTerminal() {
        try (ConsoleProgress progress = progress(false)) {
            String text = "\u001b[31mred\u001b[0m\u001b]0;title\u0007\rover\nnext\u202eback\u009b2J\t\udb40\udd00.";
            progress.onEvent(state(CoderState.CODING, CoderState.TESTING, text));
            progress.onEvent(new MaestroEvent.ChatPosted("042", "coder-001", 1, text, Instant.EPOCH));
            progress.onEvent(finished("shell", false, text, "x"));
        }
        assertThat(shown().lines())
                .hasSize(3)
                .allSatisfy(line -> assertThat(line)
                        .contains("red over next back")
                        .doesNotContainPattern("\\p{Cntrl}|\u202e|\u009b|\\x{e0100}"));
    }

    @Test
    void aModelWithoutAPriceIsSaid() {
        try (ConsoleProgress progress = progress(false)) {
            progress.onEvent(new MaestroEvent.ModelAnswered(
                    "042", "coder-001", 1, "CODING", "x", new Usage(1, 0, 0, 0), Duration.ZERO, Instant.EPOCH));
            progress.onEvent(state(CoderState.CODING, CoderState.ERROR, "failed"));
        }
        assertThat(shown()).contains("00:00, 1 tokens, a price is not known");
    }

    @Test
    void aModelThatAnswersUnderAnotherNameCostsWhatTheAskedOneDoes() {
        try (ConsoleProgress progress = progress(false)) {
            progress.onEvent(new MaestroEvent.ModelCalled("042", "coder-001", 1, "CODING", "m", Instant.EPOCH));
            progress.onEvent(new MaestroEvent.ModelAnswered(
                    "042",
                    "coder-001",
                    1,
                    "CODING",
                    "m-20261123",
                    new Usage(1_000_000, 0, 0, 0),
                    Duration.ZERO,
                    Instant.EPOCH));
            progress.onEvent(state(CoderState.CODING, CoderState.ERROR, "failed"));
        }
        assertThat(shown()).contains("10.00").doesNotContain("not known");
    }

    @Test
    void linesOfSeveralThreadsAreNotMixed() throws InterruptedException {
        try (ConsoleProgress progress = progress(true)) {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                Thread thread = new Thread(() -> {
                    for (int n = 0; n < 200; n++) {
                        progress.onEvent(started("a", "{}"));
                        progress.draw();
                        progress.onEvent(finished("shell", false, "fine", "a"));
                    }
                });
                thread.start();
                threads.add(thread);
            }
            for (Thread thread : threads) {
                thread.join();
            }
        }
        List<String> lines =
                shown().replaceAll("[-|/\\\\] [^\r\n]*\r\u001b\\[K", "").lines().toList();
        assertThat(lines)
                .hasSize(800)
                .allSatisfy(line -> assertThat(line).startsWith("00:00  042").endsWith("fine"));
    }

    @Test
    void theArgumentsOfAnEventAreOneShortLine() {
        MaestroEvent.ToolStarted event = (MaestroEvent.ToolStarted) started("a", "{\n  \"x\": 1}" + "y".repeat(500));
        assertThat(event.arguments())
                .startsWith("{ \"x\"")
                .endsWith("y…")
                .hasSize(MaestroEvent.ToolStarted.MAX_ARGUMENTS);
        assertThatThrownBy(() -> ConsoleProgress.builder(System.out).width(19)).hasMessageContaining("20");
    }
}
