package io.maestro.claude.internal.run;

import static io.maestro.testing.AssertThat.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.claude.ClaudeEvent;
import io.maestro.claude.ClaudeToolGate;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The CLI runs a tool on an error and on anything that is no refusal: so whatever is wrong is one. */
@Timeout(60)
class ToolHookTest {
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    private final List<String> seen = new CopyOnWriteArrayList<>();
    private final List<String> watch = new CopyOnWriteArrayList<>();
    private ClaudeToolGate gate = (id, tool, input) -> {
        seen.add(id + tool + input);
        return Optional.empty();
    };
    private final ToolHook hook = new ToolHook(
            (id, tool, input) -> gate.refusal(id, tool, input), () -> watch.add("waits"), () -> watch.add("goes on"));

    @AfterEach
    void close() {
        hook.close();
    }

    private String call(String content) throws InterruptedException {
        hook.call(new ClaudeEvent.ControlRequest("r1", "hook_callback", content), this::answered);
        return answers.take();
    }

    private void answered(String request, JsonNode answer) {
        answers.add(request + " " + answer);
    }

    private static String use(String id, String tool) {
        return "{\"subtype\":\"hook_callback\",\"input\":{\"tool_name\":\"" + tool
                + "\",\"tool_input\":{\"command\":\"ls\"},\"tool_use_id\":\"" + id + "\"}}";
    }

    private static String denied(String why) {
        return "r1 {\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"deny\","
                + "\"permissionDecisionReason\":\"" + why + "\"}}";
    }

    @Test
    void theGateDecides() throws InterruptedException {
        assertThat(call(use("u1", "Bash"))).isEqualTo("r1 {}");
        assertThat(seen).containsExactly("u1Bash{\"command\":\"ls\"}");
        assertThat(watch).containsExactly("waits", "goes on");
        gate = (id, tool, input) -> Optional.of("no " + tool);
        assertThat(call(use("u2", "Write"))).isEqualTo(denied("no Write"));
        assertThat(call(use("u3", "mcp__maestro__shell")))
                .as("decided on where it runs")
                .isEqualTo("r1 {}");
        assertThat(call(use("u4", "mcp__other__shell"))).isEqualTo(denied("no mcp__other__shell"));
    }

    @Test
    void aGateThatFailsHasRefused() throws InterruptedException {
        gate = (id, tool, input) -> {
            throw new IllegalStateException("gone");
        };
        assertThat(call(use("u1", "Bash"))).isEqualTo(denied("Maestro could not decide on this call."));
        assertThat(watch).containsExactly("waits", "goes on");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"input\":7}",
                "{\"input\":{\"tool_name\":\"Bash\",\"tool_input\":{}}}",
                "{\"input\":{\"tool_name\":\"Bash\",\"tool_input\":\"ls\",\"tool_use_id\":\"u\"}}",
                "{\"input\":{\"tool_input\":{},\"tool_use_id\":\"u\"}}",
                "["
            })
    void whatCannotBeReadIsRefused(String content) throws InterruptedException {
        assertThat(call(content)).isEqualTo(denied("Maestro could not read this call."));
    }

    @Test
    void whatIsTooLongIsRefused() throws InterruptedException {
        String many = "[" + "1,".repeat(60_000) + "1]";
        assertThat(call("{\"input\":{\"tool_name\":\"B\",\"tool_use_id\":\"u\",\"tool_input\":{\"a\":" + many + "}}}"))
                .isEqualTo(denied("Maestro could not read this call."));
    }

    @Test
    void noMoreThanAHundredAreOpenAndClosingInterruptsThem() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(100);
        gate = (id, tool, input) -> {
            begun.countDown();
            try {
                new CountDownLatch(1).await();
                return Optional.empty();
            } catch (InterruptedException e) {
                return Optional.of("interrupted");
            }
        };
        IntStream.range(0, 100)
                .forEach(i -> hook.call(
                        new ClaudeEvent.ControlRequest("r1", "hook_callback", use("u" + i, "Bash")), this::answered));
        assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(call(use("more", "Bash"))).isEqualTo(denied("Maestro decides on 100 calls at a time."));
        hook.close();
        for (int i = 0; i < 100; i++) {
            assertThat(answers.take()).isEqualTo(denied("interrupted"));
        }
        assertThat(call(use("late", "Bash"))).isEqualTo(denied("The run is over."));
    }

    @Test
    void aToolThatRanWithoutBeingDecidedOnIsAFault() throws InterruptedException {
        assertThat(call(use("u1", "Bash"))).isEqualTo("r1 {}");
        assertThat(ran("u1", "Bash", "text", false)).isEmpty();
        assertThat(ran("u2", "Bash", "<tool_use_error>InputValidationError</tool_use_error>", true))
                .as("it has not run")
                .isEmpty();
        assertThat(ran("u3", "mcp__maestro__shell", "text", false)).isEmpty();
    }

    /** One that has run and failed is answered with an error, too; what it has printed stands behind the CLI's own words. */
    @ParameterizedTest
    @CsvSource({
        "text, false",
        "<tool_use_error>text</tool_use_error>, false",
        "Exit code 1, true",
        "Exit code 1 <tool_use_error>, true",
        "'', true"
    })
    void whateverAToolThatRanHasAnsweredItIsAFault(String text, boolean error) {
        assertThat(ran("u4", "Bash", text, error))
                .hasValueSatisfying(fault -> assertThat(fault).contains("Bash without asking first"));
    }

    private Optional<String> ran(String id, String tool, String text, boolean error) {
        hook.used(new ClaudeEvent.ToolUse(id, tool, "{}", Optional.empty()));
        return hook.answered(new ClaudeEvent.ToolResult(id, text, error, Optional.empty()));
    }
}
