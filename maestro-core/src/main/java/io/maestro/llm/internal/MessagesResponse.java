package io.maestro.llm.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.llm.LlmContent;
import io.maestro.llm.LlmResponse;
import io.maestro.llm.LlmResponse.StopReason;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads an answer of the Messages API. */
final class MessagesResponse {
    private static final Logger LOG = LoggerFactory.getLogger(MessagesResponse.class);

    private MessagesResponse() {}

    /** @param forAnHour see {@link VendorUsage#ofMessages} */
    static LlmResponse read(String model, ObjectNode answer, boolean forAnHour)
            throws Protocol.UnreadableException, Protocol.ErrorException {
        JsonNode blocks = answer.path("content");
        if (answer.path("type").asText().equals("error")) {
            throw new Protocol.ErrorException(answer.path("error"));
        }
        if (!blocks.isArray()) {
            throw new Protocol.UnreadableException("the answer has no content");
        }
        List<LlmContent> content = new ArrayList<>();
        ToolUses calls = new ToolUses();
        for (JsonNode block : blocks) {
            add(content, calls, block);
        }
        return new LlmResponse(
                answer.path("model").asText(model),
                content,
                stopReason(answer.path("stop_reason").asText()),
                VendorUsage.ofMessages(answer.path("usage"), forAnHour));
    }

    private static void add(List<LlmContent> content, ToolUses calls, JsonNode block)
            throws Protocol.UnreadableException {
        String type = block.path("type").asText();
        switch (type) {
            case "text" -> {
                String text = block.path("text").asText();
                if (!text.isEmpty()) {
                    content.add(new LlmContent.Text(text));
                }
            }
            case "tool_use" ->
                content.add(
                        calls.of(block.path("id").asText(), block.path("name").asText(), input(block.path("input"))));
            case "thinking", "redacted_thinking" ->
                content.add(new LlmContent.Reasoning(MessagesRequest.VENDOR, block.toString()));
            // Its name comes from outside, and the log is no place for that.
            default -> LOG.debug("a block of an unknown type in an answer is left out");
        }
    }

    /** A string is what a model wrote that is no JSON object, see {@link MessagesPieces}. */
    private static String input(JsonNode input) {
        return input.isTextual() || input.isMissingNode() ? input.asText() : input.toString();
    }

    private static StopReason stopReason(String reason) {
        return switch (reason) {
            case "end_turn", "stop_sequence" -> StopReason.END_TURN;
            case "tool_use" -> StopReason.TOOL_USE;
            case "max_tokens", "model_context_window_exceeded" -> StopReason.MAX_TOKENS;
            case "refusal" -> StopReason.REFUSAL;
            default -> StopReason.OTHER;
        };
    }
}
