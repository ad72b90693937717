package io.maestro.llm.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.llm.LlmContent;
import io.maestro.llm.LlmMessage;
import io.maestro.llm.LlmRequest;
import java.util.List;

/** Writes a request as the Responses API wants it. */
final class ResponsesRequest {
    /** Whose {@link LlmContent.Reasoning} is understood. */
    static final String VENDOR = "openai";

    private ResponsesRequest() {}

    static ObjectNode write(String model, LlmRequest request, ResponsesTools tools, boolean reasoning) {
        ObjectNode body = VendorJson.object();
        body.put("model", model);
        body.put("max_output_tokens", request.maxTokens());
        request.temperature().ifPresent(temperature -> body.put("temperature", temperature));
        // The service keeps nothing; the model's reasoning comes encrypted instead and goes back with the conversation.
        body.put("store", false);
        if (reasoning) {
            body.putArray("include").add("reasoning.encrypted_content");
        }
        if (!request.system().isBlank()) {
            body.put("instructions", request.system());
        }
        if (!tools.written().isEmpty()) {
            body.set("tools", tools.written());
            body.put("parallel_tool_calls", true);
        }
        ArrayNode input = body.putArray("input");
        for (LlmMessage message : request.messages()) {
            if (message.role() == LlmMessage.Role.USER) {
                addUser(input, message.content());
            } else {
                addAssistant(input, message.content());
            }
        }
        return body;
    }

    /** Results stand first, next to the calls that they answer. */
    private static void addUser(ArrayNode input, List<LlmContent> content) {
        ArrayNode texts = VendorJson.array();
        for (LlmContent part : content) {
            if (part instanceof LlmContent.ToolReply reply) {
                // There is no mark for a call that failed.
                input.addObject()
                        .put("type", "function_call_output")
                        .put("call_id", reply.toolUseId())
                        .put("output", reply.error() ? "The call failed: " + reply.text() : reply.text());
            } else if (part instanceof LlmContent.Text text && !text.text().isBlank()) {
                texts.addObject().put("type", "input_text").put("text", text.text());
            }
        }
        if (!texts.isEmpty()) {
            input.addObject().put("type", "message").put("role", "user").set("content", texts);
        }
    }

    private static void addAssistant(ArrayNode input, List<LlmContent> content) {
        // The service refuses reasoning that nothing follows, which an answer that was cut ends with.
        ArrayNode reasoning = VendorJson.array();
        for (LlmContent part : content) {
            if (part instanceof LlmContent.Reasoning thought && thought.vendor().equals(VENDOR)) {
                VendorJson.parseObject(thought.json())
                        .filter(ResponsesRequest::isComplete)
                        .ifPresent(reasoning::add);
            } else if (part instanceof LlmContent.ToolUse use) {
                input.addAll(reasoning);
                reasoning.removeAll();
                input.addObject()
                        .put("type", "function_call")
                        .put("call_id", use.id())
                        .put("name", use.name())
                        .put("arguments", use.input());
            } else if (part instanceof LlmContent.Text text && !text.text().isBlank()) {
                input.addAll(reasoning);
                reasoning.removeAll();
                ObjectNode message = input.addObject().put("type", "message").put("role", "assistant");
                message.putArray("content")
                        .addObject()
                        .put("type", "output_text")
                        .put("text", text.text());
            }
        }
    }

    /** Without its encrypted content the service would look for the item among those that it was told not to store. */
    private static boolean isComplete(JsonNode item) {
        return !item.path("encrypted_content").asText("").isEmpty()
                || !item.path("content").isEmpty();
    }
}
