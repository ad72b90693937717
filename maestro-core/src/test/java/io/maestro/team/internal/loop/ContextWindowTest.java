package io.maestro.team.internal.loop;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.agent.Limits;
import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmContent;
import io.maestro.llm.LlmContextOverflowException;
import io.maestro.llm.LlmInterruptedException;
import io.maestro.llm.LlmMessage;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.llm.Usage;
import io.maestro.tools.ToolResult;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** After a restart a model is sent what it would have been sent, however it counts and whatever it can read. */
class ContextWindowTest {
    private static final int TURNS = 24;
    private static final Limits LIMITS = Limits.builder().contextTokens(5_000).build();

    /** Counts so many characters as a token, can read so many tokens, and is not there for one of the requests. */
    private static final class Counting implements LlmClient {
        private final double charactersPerToken;
        private final long window;
        private int dies;
        private int answers;
        private final List<List<LlmMessage>> sent = new ArrayList<>();

        Counting(double charactersPerToken, long window, int dies) {
            this.charactersPerToken = charactersPerToken;
            this.window = window;
            this.dies = dies;
        }

        @Override
        public String model() {
            return "counting";
        }

        @Override
        public LlmResponse complete(LlmRequest request) {
            sent.add(request.messages());
            if (sent.size() == dies) {
                throw new LlmInterruptedException("the process ends", null);
            }
            long tokens = Math.round((request.system().length()
                            + MessageSizes.ofTools(request.tools())
                            + MessageSizes.of(request.messages()))
                    / charactersPerToken);
            if (tokens > window) {
                throw new LlmContextOverflowException("too long", null);
            }
            int n = answers++;
            LlmContent.ToolUse use = n < TURNS
                    ? new LlmContent.ToolUse("c" + n, "look", "{\"n\":" + n + "}")
                    : new LlmContent.ToolUse("c" + n, "done", "{\"summary\":\"s\"}");
            return new LlmResponse(
                    "counting",
                    List.of(use),
                    LlmResponse.StopReason.TOOL_USE,
                    new Usage(tokens / 2, 5, tokens - tokens / 2, 0));
        }
    }

    private static List<List<LlmMessage>> undisturbed(double charactersPerToken, long window) {
        try (LoopBench bench = looking()) {
            Counting model = new Counting(charactersPerToken, window, 0);
            assertThat(bench.run(model, LIMITS)).isInstanceOf(ToolLoop.LoopOutcome.Signalled.class);
            return model.sent;
        }
    }

    private static LoopBench looking() {
        return new LoopBench().reading("look", call -> ToolResult.ok("x".repeat(2_000)));
    }

    @ParameterizedTest
    @CsvSource({"2, 9999", "4, 9999", "6.5, 9999", "2, 3500", "4, 3500", "6.5, 3500"})
    void theNextProcessSendsWhatThisOneWouldHaveSent(double charactersPerToken, long window) {
        List<List<LlmMessage>> undisturbed = undisturbed(charactersPerToken, window);
        for (int dies = 1; dies <= undisturbed.size(); dies += 3) {
            try (LoopBench bench = looking()) {
                Counting model = new Counting(charactersPerToken, window, dies);
                assertThatThrownBy(() -> bench.run(model, LIMITS)).isInstanceOf(LlmInterruptedException.class);
                assertThat(bench.loop(LIMITS).run(bench.resumed(model, LIMITS)))
                        .isInstanceOf(ToolLoop.LoopOutcome.Signalled.class);
                List<List<LlmMessage>> sent = new ArrayList<>(model.sent);
                assertThat(sent.remove(dies)).isEqualTo(undisturbed.get(dies - 1));
                assertThat(sent).as("killed in request %s", dies).isEqualTo(undisturbed);
            }
        }
    }
}
