package io.maestro.llm.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.llm.LlmContent;
import io.maestro.llm.LlmMessage;
import io.maestro.llm.LlmRequest;
import io.maestro.tools.ToolDefinition;
import java.util.List;

/** Writes a request as the Messages API wants it. */
final class MessagesRequest {
    /** Whose {@link LlmContent.Reasoning} is understood. */
    static final String VENDOR = "anthropic";

    private MessagesRequest() {}

    static ObjectNode write(String model, LlmRequest request) {
        ObjectNode body = VendorJson.object();
        body.put("model", model);
        body.put("max_tokens", request.maxTokens());
        request.temperature().ifPresent(temperature -> body.put("temperature", temperature));
        if (!request.system().isBlank()) {
            body.put("system", request.system());
        }
        if (!request.tools().isEmpty()) {
            ArrayNode tools = body.putArray("tools");
            request.tools().forEach(tool -> tools.add(tool(tool)));
        }
        ArrayNode messages = body.putArray("messages");
        request.messages().forEach(message -> addMessage(messages, message));
        return body;
    }

    private static ObjectNode tool(ToolDefinition definition) {
        return VendorJson.object()
                .put("name", definition.name())
                .put("description", definition.description())
                .set("input_schema", VendorJson.tree(PlainSchema.withPlainNames(definition.input())));
    }

    /** Messages of the same role in a row become one, as the service has it, so that results of tools can stand first. */
    private static void addMessage(ArrayNode messages, LlmMessage message) {
        String role = message.role() == LlmMessage.Role.USER ? "user" : "assistant";
        JsonNode last = messages.path(messages.size() - 1);
        boolean joined = last.path("role").asText().equals(role);
        ArrayNode content = joined ? (ArrayNode) last.path("content") : VendorJson.array();
        finished(message).forEach(part -> addPart(content, part));
        if (!joined && !content.isEmpty()) {
            messages.add(VendorJson.object().put("role", role).set("content", content));
        }
    }

    /** The service refuses reasoning that nothing follows, which an answer that was cut ends with. */
    private static List<LlmContent> finished(LlmMessage message) {
        List<LlmContent> content = message.content();
        int end = content.size();
        while (end > 0 && !isSaid(content.get(end - 1))) {
            end--;
        }
        return content.subList(0, end);
    }

    private static boolean isSaid(LlmContent part) {
        // The service refuses texts of white space, too.
        return !(part instanceof LlmContent.Reasoning)
                && !(part instanceof LlmContent.Text text && text.text().isBlank());
    }

    private static void addPart(ArrayNode content, LlmContent part) {
        if (part instanceof LlmContent.Text text) {
            if (isSaid(text)) {
                content.add(VendorJson.object().put("type", "text").put("text", text.text()));
            }
        } else if (part instanceof LlmContent.ToolUse use) {
            ObjectNode block = VendorJson.object()
                    .put("type", "tool_use")
                    .put("id", use.id())
                    .put("name", use.name());
            // The service takes nothing but objects; what was wrong with the input says the result of the call.
            content.add(block.set("input", VendorJson.parseObject(use.input()).orElseGet(VendorJson::object)));
        } else if (part instanceof LlmContent.ToolReply reply) {
            content.insert(results(content), toolResult(reply));
        } else if (part instanceof LlmContent.Reasoning reasoning
                && reasoning.vendor().equals(VENDOR)) {
            VendorJson.parseObject(reasoning.json()).ifPresent(content::add);
        }
    }

    /** Where the next result goes: the service wants them before all texts. */
    private static int results(ArrayNode content) {
        int count = 0;
        while (content.path(count).path("type").asText().equals("tool_result")) {
            count++;
        }
        return count;
    }

    static ObjectNode toolResult(LlmContent.ToolReply reply) {
        ObjectNode block = VendorJson.object()
                .put("type", "tool_result")
                .put("tool_use_id", reply.toolUseId())
                .put("content", reply.text());
        return reply.error() ? block.put("is_error", true) : block;
    }
}
