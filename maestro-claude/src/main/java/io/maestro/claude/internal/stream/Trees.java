package io.maestro.claude.internal.stream;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.claude.ClaudeEvent;
import io.maestro.llm.Usage;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The events that are read from a tree: few, and short. */
final class Trees {
    private Trees() {}

    static ClaudeEvent init(JsonNode line) {
        Map<String, String> servers = new LinkedHashMap<>();
        for (JsonNode server : line.path("mcp_servers")) {
            servers.put(server.path("name").asText(), server.path("status").asText());
        }
        return new ClaudeEvent.Init(
                line.path("session_id").asText(),
                line.path("model").asText(),
                line.path("claude_code_version").asText(),
                List.copyOf(texts(line.path("tools"))),
                Map.copyOf(servers));
    }

    static ClaudeEvent retry(JsonNode line) {
        return new ClaudeEvent.ApiRetry(
                line.path("attempt").asInt(),
                line.path("error_status").asInt(),
                line.path("retry_delay_ms").asLong());
    }

    static ClaudeEvent result(JsonNode line) {
        // A failure has no text of the model, but says what went wrong.
        String text = line.hasNonNull("result")
                ? line.path("result").asText()
                : String.join("\n", texts(line.path("errors")));
        return new ClaudeEvent.Result(
                line.path("subtype").asText(),
                // What does not say that it is good is not good.
                line.path("is_error").asBoolean(true),
                text,
                line.path("num_turns").asInt(),
                money(line.path("total_cost_usd")),
                usage(line.path("usage")),
                line.path("session_id").asText());
    }

    private static Usage usage(JsonNode usage) {
        return new Usage(
                count(usage.path("input_tokens")),
                count(usage.path("output_tokens")),
                count(usage.path("cache_read_input_tokens")),
                count(usage.path("cache_creation_input_tokens")));
    }

    private static long count(JsonNode number) {
        return Math.max(0, number.asLong());
    }

    /** A number with an absurd exponent would cost the memory of the one who adds to it. */
    private static BigDecimal money(JsonNode number) {
        BigDecimal value = number.isNumber() ? number.decimalValue() : BigDecimal.ZERO;
        boolean sane = value.signum() >= 0 && value.scale() <= 100 && (long) value.precision() - value.scale() <= 12;
        return sane ? value : BigDecimal.ZERO;
    }

    private static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(text -> texts.add(text.asText()));
        return texts;
    }
}
