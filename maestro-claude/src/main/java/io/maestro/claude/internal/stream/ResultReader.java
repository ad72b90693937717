package io.maestro.claude.internal.stream;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.maestro.claude.ClaudeEvent;
import io.maestro.llm.Usage;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the line that ends a turn; to its end, since half a line is no result. */
final class ResultReader {
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
                case "session_id" -> session = Raw.word(parser);
                default -> parser.skipChildren();
            }
        }
        return new ClaudeEvent.Result(subtype, isError, text(result, errors), turns, cost, usage, session);
    }

    /** A failure has no text of the model, but says what went wrong. */
    private static String text(@Nullable String result, List<String> errors) {
        return result != null ? result : String.join("\n", errors);
    }

    private static Usage usage(JsonParser parser, JsonToken value) throws IOException {
        if (value != JsonToken.START_OBJECT) {
            parser.skipChildren();
            return Usage.NONE;
        }
        long input = 0;
        long output = 0;
        long cacheRead = 0;
        long cacheWrite = 0;
        for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            parser.nextToken();
            switch (name) {
                case "input_tokens" -> input = Raw.count(parser);
                case "output_tokens" -> output = Raw.count(parser);
                case "cache_read_input_tokens" -> cacheRead = Raw.count(parser);
                case "cache_creation_input_tokens" -> cacheWrite = Raw.count(parser);
                default -> parser.skipChildren();
            }
        }
        return new Usage(input, output, cacheRead, cacheWrite);
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
