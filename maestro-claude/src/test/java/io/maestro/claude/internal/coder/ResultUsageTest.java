package io.maestro.claude.internal.coder;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.claude.ClaudeEvent;
import io.maestro.claude.ClaudeStreamParser;
import io.maestro.claude.testing.Transcripts;
import io.maestro.llm.Usage;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is counted of what one process of the CLI says, as recorded from the real one and as no honest one says it. */
class ResultUsageTest {
    private final List<ClaudeEvent> passedOn = new ArrayList<>();
    private final List<Usage> counted = new ArrayList<>();
    private final Map<String, Usage> sums = new LinkedHashMap<>();
    private final ResultUsage usage = new ResultUsage(passedOn::add, (model, used) -> {
        counted.add(used);
        sums.merge(model, used, Usage::plus);
    });

    private void says(String modelUsage) {
        String line =
                "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"modelUsage\":" + modelUsage + "}\n";
        ClaudeStreamParser.parse(line.getBytes(StandardCharsets.UTF_8)).forEach(usage::onEvent);
    }

    private static String model(String name, Object input, Object output) {
        return "\"" + name + "\":{\"inputTokens\":" + input + ",\"outputTokens\":" + output
                + ",\"cacheReadInputTokens\":5,\"cacheCreationInputTokens\":2}";
    }

    /** The sub-agent's requests, which no answer of the session itself tells, are among them. */
    @Test
    void aSubAgentCounts() {
        ClaudeStreamParser.parse(Transcripts.output("31_subagent")).forEach(usage::onEvent);

        assertThat(sums).isEqualTo(Map.of("claude-sonnet-4-5", new Usage(400, 80, 0, 0)));
        assertThat(passedOn).hasSizeGreaterThan(counted.size());
    }

    private void begins(String parent, int input, int cacheWrite) {
        partial(
                "{\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"model\":\"large\",\"usage\":{\"input_tokens\":"
                        + input
                        + ",\"output_tokens\":1,\"cache_creation_input_tokens\":" + cacheWrite
                        + ",\"cache_creation\":{\"ephemeral_1h_input_tokens\":" + cacheWrite + "}}}}",
                parent);
    }

    private void partial(String event, String parent) {
        String line = "{\"type\":\"stream_event\",\"event\":" + event + ",\"parent_tool_use_id\":" + parent + "}\n";
        ClaudeStreamParser.parse(line.getBytes(StandardCharsets.UTF_8)).forEach(usage::onEvent);
    }

    private void ends(String parent) {
        partial("{\"type\":\"message_stop\"}", parent);
    }

    /** The process may be killed, or the turn ended by a tool, before it says what it has used. */
    @Test
    void whatAnAnswerHasReadCountsWhenItBegins() {
        begins("null", 100, 7);

        assertThat(counted).containsExactly(new Usage(100, 0, 0, 7, 7));
    }

    @Test
    void whatIsWrittenToACacheCountsWithItsPartsOrTheirSum() {
        for (String written : List.of(
                "\"cache_creation\":{\"ephemeral_5m_input_tokens\":60,\"ephemeral_1h_input_tokens\":40}",
                "\"cache_creation_input_tokens\":70,\"cache_creation\":"
                        + "{\"ephemeral_5m_input_tokens\":60,\"ephemeral_1h_input_tokens\":40}",
                "\"cache_creation\":{\"ephemeral_1h_input_tokens\":40},\"cache_creation_input_tokens\":100")) {
            counted.clear();
            partial(
                    "{\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"model\":\"large\",\"usage\":"
                            + "{\"input_tokens\":5," + written + "}}}",
                    "null");
            ends("null");
            assertThat(counted).as(written).containsExactly(new Usage(5, 0, 0, 100, 40));
        }
    }

    /** An older CLI tells no end of an answer that broke off, and does not count it. */
    @Test
    void anAnswerThatBreaksOffCountsBesideTheSumOfTheOthers() {
        begins("null", 100, 0);
        ends("null");
        begins("null", 300, 0);
        begins("\"sub\"", 50, 0);
        ends("\"sub\"");
        begins("null", 300, 0);
        ends("null");
        says("{" + model("large[1m]", 450, 30) + "}");
        begins("null", 10, 0);
        ends("null");
        says("{" + model("large-20270101", 460, 35) + "}");

        assertThat(sums.values().stream().reduce(Usage.NONE, Usage::plus)).isEqualTo(new Usage(760, 35, 5, 2));
    }

    /** Newer versions say for how long a cache keeps what it was given, and tell the end of answers that break off. */
    @Test
    void aCacheOfAnHourIsTold() {
        begins("null", 1, 70);
        ends("null");
        says("{\"large\":{\"inputTokens\":1,\"outputTokens\":9,\"cacheCreationInputTokens\":100,"
                + "\"cacheCreationEphemeral1hInputTokens\":90}}");

        assertThat(sums).isEqualTo(Map.of("large", new Usage(1, 9, 0, 100, 90)));
    }

    /** What a process says of each model is the sum since it began. */
    @Test
    void eachTurnCountsOnce() {
        says("{" + model("large", 100, 10) + "}");
        says("{" + model("large", 150, 30) + "," + model("small", 7, 1) + "}");
        says("{" + model("large", 150, 30) + "," + model("small", 7, 1) + "}");

        assertThat(sums).isEqualTo(Map.of("large", new Usage(150, 30, 5, 2), "small", new Usage(7, 1, 5, 2)));
        assertThat(counted).containsExactly(new Usage(100, 10, 5, 2), new Usage(50, 20, 0, 0), new Usage(7, 1, 5, 2));
    }

    /** A sum that has become less takes nothing back, and what is added then counts from the most. */
    @Test
    void nothingIsTakenBack() {
        says("{" + model("large", 100, 10) + "}");
        says("{" + model("large", 20, 40) + "}");
        says("{" + model("large", 110, 10) + "}");

        assertThat(sums).isEqualTo(Map.of("large", new Usage(110, 40, 5, 2)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "null", "\"many\"", "[1]", "{}", "-1e300"})
    void whatIsNoCountIsNone(String count) {
        says("{" + model("large", count, 10) + "}");

        assertThat(sums).isEqualTo(Map.of("large", new Usage(0, 10, 5, 2)));
    }

    /** A sum that overflows would be less than nothing, and would not be counted. */
    @ParameterizedTest
    @ValueSource(strings = {"1e300", "9223372036854775807", "99999999999999999999999"})
    void anAbsurdCountIsStillCounted(String count) {
        says("{" + model("large", count, count) + "}");

        assertThat(sums.get("large").inputTokens()).isGreaterThan(1L << 50);
        assertThat(sums.get("large").totalTokens()).isGreaterThan(1L << 51);
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "[]", "7", "{}", "{\"large\":null}", "{\"large\":[1]}"})
    void withoutCountsNothingCounts(String modelUsage) {
        says(modelUsage);

        assertThat(counted).isEmpty();
        assertThat(passedOn).hasSize(1);
    }
}
