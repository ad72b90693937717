package io.maestro.claude.internal.stream;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.maestro.claude.ClaudeEvent;
import io.maestro.llm.Usage;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the line that ends a turn; to its end, since half a line is no result. */
final class ResultReader {
    /** More than one run has ever used. */
    private static final int MOST_MODELS = 20;

    private ResultReader() {}

    static ClaudeEvent read(JsonParser parser) throws IOException {
        String subtype = "";
        // What does not say that it is good is not good.
        boolean isError = true;
        String result = null;
        List<String> errors = List.of();
        int turns = 0;
        BigDecimal cost = BigDecimal.ZERO;
        Usage usage = Usage.NONE;
        Map<String, Usage> models = Map.of();
        int status = 0;
        String stopReason = "";
        String session = "";
        Raw.enter(parser);
        for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            JsonToken value = parser.nextToken();
            switch (name) {
                case "subtype" -> subtype = Raw.word(parser);
                case "is_error" -> {
                    isError = value != JsonToken.VALUE_FALSE;
                    parser.skipChildren();
                }
                case "result" -> result = value == JsonToken.VALUE_NULL ? null : Raw.text(parser);
                case "errors" -> errors = Raw.texts(parser);
                case "num_turns" -> turns = (int) Math.min(Integer.MAX_VALUE, Raw.count(parser));
                case "total_cost_usd" -> cost = money(parser);
                case "usage" -> usage = usage(parser, value);
                case "modelUsage" -> models = models(parser, value);
                case "api_error_status" -> status = (int) Math.min(999, Raw.count(parser));
                case "stop_reason" -> stopReason = Raw.word(parser);
                case "session_id" -> session = Raw.word(parser);
                default -> parser.skipChildren();
            }
        }
        return new ClaudeEvent.Result(
                subtype, isError, text(result, errors), turns, cost, usage, models, status, stopReason, session);
    }

    /** A failure has no text of the model, but says what went wrong. */
    private static String text(@Nullable String result, List<String> errors) {
        return result != null ? result : String.join("\n", errors);
    }

    private static Map<String, Usage> models(JsonParser parser, JsonToken value) throws IOException {
        if (value != JsonToken.START_OBJECT) {
            parser.skipChildren();
            return Map.of();
        }
        Map<String, Usage> models = new LinkedHashMap<>();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String model = Raw.cut(parser.currentName());
            Usage usage = usage(parser, parser.nextToken());
            if (models.size() < MOST_MODELS) {
                models.put(model, usage);
            }
        }
        return Collections.unmodifiableMap(models);
    }

    /** The counts that the parser stands at, in the words of the API or of the CLI; none where there is no object. */
    static Usage usage(JsonParser parser, JsonToken value) throws IOException {
        if (value != JsonToken.START_OBJECT) {
            parser.skipChildren();
            return Usage.NONE;
        }
        long input = 0;
        long output = 0;
        long cacheRead = 0;
        long cacheWrite = 0;
        long minutes = 0;
        long hour = 0;
        for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            JsonToken count = parser.nextToken();
            switch (name) {
                case "input_tokens", "inputTokens" -> input = Raw.count(parser);
                case "output_tokens", "outputTokens" -> output = Raw.count(parser);
                case "cache_read_input_tokens", "cacheReadInputTokens" -> cacheRead = Raw.count(parser);
                case "cache_creation_input_tokens", "cacheCreationInputTokens" -> cacheWrite = Raw.count(parser);
                case "cacheCreationEphemeral1hInputTokens" -> hour = Raw.count(parser);
                case "cache_creation" -> {
                    Usage written = usage(parser, count);
                    minutes = written.cacheWriteTokens() - written.cacheWriteHourTokens();
                    hour = written.cacheWriteHourTokens();
                }
                case "ephemeral_5m_input_tokens" -> minutes = Raw.count(parser);
                case "ephemeral_1h_input_tokens" -> hour = Raw.count(parser);
                default -> parser.skipChildren();
            }
        }
        return new Usage(input, output, cacheRead, Math.max(cacheWrite, minutes + hour), hour);
    }

    /** A number with an absurd exponent would cost the memory of the one who adds to it. */
    private static BigDecimal money(JsonParser parser) throws IOException {
        if (!Raw.isNumber(parser)) {
            parser.skipChildren();
            return BigDecimal.ZERO;
        }
        BigDecimal value = parser.getDecimalValue();
        boolean sane = value.signum() >= 0 && value.scale() <= 100 && (long) value.precision() - value.scale() <= 12;
        return sane ? value : BigDecimal.ZERO;
    }
}
