package io.maestro.claude.internal.replay;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.UUID;

/** Answers in the forms of the Messages API. */
final class Wire {
    private static final JsonMapper JSON = new JsonMapper();

    private Wire() {}

    static String model(String id) {
        return JSON.createObjectNode().put("type", "model").put("id", id).toString();
    }

    /** One that the CLI does not ask again after. */
    static String error(String type, String message) {
        ObjectNode root = JSON.createObjectNode().put("type", "error");
        root.putObject("error").put("type", type).put("message", message);
        return root.toString();
    }

    static String whole(JsonNode content, String model) {
        ObjectNode message = message(model);
        message.set("content", content);
        message.put("stop_reason", stopReason(content));
        return message.toString();
    }

    static String events(JsonNode content, String model) {
        StringBuilder out = new StringBuilder();
        ObjectNode message = message(model).putNull("stop_reason");
        message.putArray("content");
        ObjectNode start = event("message_start");
        start.set("message", message);
        append(out, start);
        for (int i = 0; i < content.size(); i++) {
            block(out, i, content.get(i));
        }
        ObjectNode end = event("message_delta");
        end.putObject("delta").put("stop_reason", stopReason(content)).putNull("stop_sequence");
        end.set("usage", usage());
        append(out, end);
        append(out, event("message_stop"));
        return out.toString();
    }

    private static void block(StringBuilder out, int index, JsonNode block) {
        ObjectNode empty = block.deepCopy();
        ObjectNode delta = JSON.createObjectNode();
        switch (block.path("type").asText()) {
            case "text" -> {
                empty.put("text", "");
                delta.put("type", "text_delta").set("text", block.path("text"));
            }
            case "thinking" -> {
                empty.put("thinking", "").put("signature", "");
                delta.put("type", "thinking_delta").set("thinking", block.path("thinking"));
            }
            case "tool_use" -> {
                empty.putObject("input");
                delta.put("type", "input_json_delta")
                        .put("partial_json", block.path("input").toString());
            }
            default -> {
                // Such as redacted thinking: it comes as a whole.
            }
        }
        ObjectNode start = event("content_block_start").put("index", index);
        start.set("content_block", empty);
        append(out, start);
        if (!delta.isEmpty()) {
            append(out, delta(index, delta));
        }
        if (block.has("signature")) {
            ObjectNode signature = JSON.createObjectNode().put("type", "signature_delta");
            signature.set("signature", block.path("signature"));
            append(out, delta(index, signature));
        }
        append(out, event("content_block_stop").put("index", index));
    }

    private static ObjectNode delta(int index, ObjectNode delta) {
        ObjectNode event = event("content_block_delta").put("index", index);
        event.set("delta", delta);
        return event;
    }

    private static ObjectNode message(String model) {
        ObjectNode message = JSON.createObjectNode()
                .put("id", "msg_" + UUID.randomUUID().toString().replace("-", ""))
                .put("type", "message")
                .put("role", "assistant")
                .put("model", model)
                .putNull("stop_sequence");
        message.set("usage", usage());
        return message;
    }

    /** Nobody pays for it; what the recorded run has used is in its record. */
    private static ObjectNode usage() {
        return JSON.createObjectNode().put("input_tokens", 0).put("output_tokens", 0);
    }

    private static String stopReason(JsonNode content) {
        for (JsonNode block : content) {
            if (block.path("type").asText().equals("tool_use")) {
                return "tool_use";
            }
        }
        return "end_turn";
    }

    private static ObjectNode event(String type) {
        return JSON.createObjectNode().put("type", type);
    }

    private static void append(StringBuilder out, ObjectNode event) {
        out.append("event: ")
                .append(event.path("type").asText())
                .append("\ndata: ")
                .append(event)
                .append("\n\n");
    }
}
