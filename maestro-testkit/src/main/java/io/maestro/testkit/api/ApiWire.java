package io.maestro.testkit.api;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.llm.Usage;
import java.util.List;
import java.util.UUID;

/** Answers of {@link StubApi} in the forms of the Messages API. */
final class ApiWire {
    private ApiWire() {}

    /** A stream up to the beginning of its first block, and what follows. */
    record Events(String begin, String rest) {}

    static String error(ApiReply reply) {
        ObjectNode root = ApiReply.JSON.createObjectNode().put("type", "error");
        root.putObject("error").put("type", reply.errorType).put("message", reply.message);
        return root.toString();
    }

    static String errorEvent() {
        return "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"stub\"}}\n\n";
    }

    static String whole(ApiReply reply, ApiRequest request) {
        ObjectNode message = message(request, reply.usage);
        message.putArray("content").addAll(blocks(reply));
        message.put("stop_reason", stopReason(reply));
        message.set("usage", usage(reply.usage, reply.usage.outputTokens()));
        return message.toString();
    }

    static Events events(ApiReply reply, ApiRequest request) {
        StringBuilder begin = new StringBuilder();
        StringBuilder out = begin;
        ObjectNode start = event("message_start");
        start.set("message", message(request, reply.usage));
        append(out, start);
        StringBuilder rest = new StringBuilder();
        List<ObjectNode> blocks = blocks(reply);
        for (int i = 0; i < blocks.size(); i++) {
            ObjectNode block = blocks.get(i);
            ObjectNode empty = block.deepCopy();
            ObjectNode deltas = ApiReply.JSON.createObjectNode();
            switch (block.path("type").asText()) {
                case "text" -> {
                    empty.put("text", "");
                    deltas.put("type", "text_delta").set("text", block.get("text"));
                }
                case "thinking" -> {
                    empty.put("thinking", "").put("signature", "");
                    deltas.put("type", "thinking_delta").set("thinking", block.get("thinking"));
                }
                default -> {
                    empty.putObject("input");
                    deltas.put("type", "input_json_delta")
                            .put("partial_json", block.get("input").toString());
                }
            }
            ObjectNode blockStart = event("content_block_start").put("index", i);
            blockStart.set("content_block", empty);
            append(out, blockStart);
            out = rest;
            ObjectNode delta = event("content_block_delta").put("index", i);
            delta.set("delta", deltas);
            append(out, delta);
            if (block.has("signature")) {
                ObjectNode signature = event("content_block_delta").put("index", i);
                signature.putObject("delta").put("type", "signature_delta").set("signature", block.get("signature"));
                append(out, signature);
            }
            append(out, event("content_block_stop").put("index", i));
        }
        ObjectNode end = event("message_delta");
        end.putObject("delta").put("stop_reason", stopReason(reply)).putNull("stop_sequence");
        end.set("usage", usage(reply.usage, reply.usage.outputTokens()));
        append(rest, end);
        append(rest, event("message_stop"));
        return new Events(begin.toString(), rest.toString());
    }

    /** With an id for each call that has none. */
    private static List<ObjectNode> blocks(ApiReply reply) {
        return reply.blocks.stream()
                .map(block -> block.path("type").asText().equals("tool_use")
                                && block.path("id").asText().isEmpty()
                        ? block.deepCopy().put("id", "toolu_" + random())
                        : block)
                .toList();
    }

    private static ObjectNode message(ApiRequest request, Usage usage) {
        ObjectNode message = ApiReply.JSON
                .createObjectNode()
                .put("id", "msg_" + random())
                .put("type", "message")
                .put("role", "assistant")
                .put("model", request.model());
        ArrayNode content = message.putArray("content");
        assert content.isEmpty();
        message.putNull("stop_reason").putNull("stop_sequence");
        message.set("usage", usage(usage, 1));
        return message;
    }

    private static ObjectNode usage(Usage usage, long output) {
        return ApiReply.JSON
                .createObjectNode()
                .put("input_tokens", usage.inputTokens())
                .put("cache_creation_input_tokens", usage.cacheWriteTokens())
                .put("cache_read_input_tokens", usage.cacheReadTokens())
                .put("output_tokens", output);
    }

    private static String stopReason(ApiReply reply) {
        if (reply.fault == ApiReply.Fault.REFUSAL) {
            return "refusal";
        }
        return reply.blocks.stream()
                        .anyMatch(block -> block.path("type").asText().equals("tool_use"))
                ? "tool_use"
                : "end_turn";
    }

    private static ObjectNode event(String type) {
        return ApiReply.JSON.createObjectNode().put("type", type);
    }

    private static void append(StringBuilder out, ObjectNode event) {
        out.append("event: ")
                .append(event.path("type").asText())
                .append("\ndata: ")
                .append(event)
                .append("\n\n");
    }

    private static String random() {
        return UUID.randomUUID().toString().replace("-", "").substring(0, 22);
    }
}
