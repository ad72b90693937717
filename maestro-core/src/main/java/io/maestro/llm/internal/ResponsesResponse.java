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

/** Reads an answer of the Responses API. Used once. */
final class ResponsesResponse {
    private static final Logger LOG = LoggerFactory.getLogger(ResponsesResponse.class);

    private final ResponsesTools tools;
    private final List<LlmContent> content = new ArrayList<>();
    private final ToolUses calls = new ToolUses();
    private boolean called;
    private boolean refused;

    ResponsesResponse(ResponsesTools tools) {
        this.tools = tools;
    }

    LlmResponse read(String model, ObjectNode answer) throws Protocol.UnreadableException, Protocol.ErrorException {
        String status = answer.path("status").asText("completed");
        JsonNode output = answer.path("output");
        if (status.equals("failed") || (answer.path("error").isObject() && !output.isArray())) {
            throw new Protocol.ErrorException(answer.path("error"));
        }
        if (!output.isArray() || List.of("cancelled", "queued", "in_progress").contains(status)) {
            throw new Protocol.UnreadableException("the answer has no output, status " + status);
        }
        for (JsonNode item : output) {
            add(item);
        }
        return new LlmResponse(
                answer.path("model").asText(model),
                content,
                stopReason(
                        status, answer.path("incomplete_details").path("reason").asText()),
                VendorUsage.ofResponses(answer.path("usage")));
    }

    private void add(JsonNode item) throws Protocol.UnreadableException {
        switch (item.path("type").asText()) {
            case "message" -> item.path("content").forEach(this::addPart);
            case "function_call" -> {
                called = true;
                String id = item.path("call_id").asText();
                String name = item.path("name").asText();
                JsonNode arguments = item.path("arguments");
                LlmContent.ToolUse use =
                        calls.of(id, name, arguments.isObject() ? arguments.toString() : arguments.asText());
                content.add(new LlmContent.ToolUse(use.id(), name, tools.arguments(name, use.input())));
            }
            case "reasoning" -> content.add(new LlmContent.Reasoning(ResponsesRequest.VENDOR, item.toString()));
            // Its name comes from outside, and the log is no place for that.
            default -> LOG.debug("an item of an unknown type in an answer is left out");
        }
    }

    private void addPart(JsonNode part) {
        boolean refusal = part.path("type").asText().equals("refusal");
        refused |= refusal;
        String text = part.path(refusal ? "refusal" : "text").asText();
        if (!text.isEmpty()) {
            content.add(new LlmContent.Text(text));
        }
    }

    private StopReason stopReason(String status, String reason) {
        if (status.equals("incomplete")) {
            return switch (reason) {
                case "max_output_tokens" -> StopReason.MAX_TOKENS;
                case "content_filter" -> StopReason.REFUSAL;
                default -> StopReason.OTHER;
            };
        }
        if (!status.equals("completed")) {
            return StopReason.OTHER;
        }
        if (called) {
            return StopReason.TOOL_USE;
        }
        return refused ? StopReason.REFUSAL : StopReason.END_TURN;
    }
}
