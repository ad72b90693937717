package io.maestro.llm.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.llm.LlmResponse;
import io.maestro.llm.LlmStreamListener;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Puts the events of a stream together to the message that the Messages API would have sent as a whole: see
 * docs.anthropic.com, "Streaming messages". Blocks have numbers; the counts of tokens are sums up to then; events and deltas
 * of unknown types are left out, as is asked for there.
 */
final class MessagesPieces implements Protocol.Pieces {
    private final String model;
    private final boolean forAnHour;
    private final LlmStreamListener listener;
    private final ObjectNode usage = VendorJson.object();
    private final Map<Integer, Block> blocks = new TreeMap<>();
    private ObjectNode message = VendorJson.object();
    private boolean begun;

    /** @param forAnHour see {@link VendorUsage#ofMessages} */
    MessagesPieces(String model, boolean forAnHour, LlmStreamListener listener) {
        this.model = model;
        this.forAnHour = forAnHour;
        this.listener = listener;
    }

    /** A block, and the texts of it that grow. */
    private record Block(ObjectNode json, Map<String, StringBuilder> texts) {
        void append(String name, String text) {
            texts.computeIfAbsent(name, n -> new StringBuilder(json.path(n).asText()))
                    .append(text);
        }

        ObjectNode complete() {
            texts.forEach((name, text) -> json.put(name, text.toString()));
            return json;
        }
    }

    @Override
    public Optional<LlmResponse> take(String type, ObjectNode event)
            throws Protocol.UnreadableException, Protocol.ErrorException {
        switch (type) {
            case "message_start" -> begin(event.path("message"));
            case "content_block_start" -> start(event);
            case "content_block_delta" -> grow(block(event), event.path("delta"));
            case "message_delta" -> {
                JsonNode reason = event.path("delta").path("stop_reason");
                if (reason.isTextual()) {
                    message.put("stop_reason", reason.asText());
                }
                VendorUsage.update(usage, event.path("usage"), false);
            }
            case "message_stop" -> {
                return Optional.of(complete());
            }
            case "error" -> throw new Protocol.ErrorException(event.path("error"));
            default -> {}
        }
        return Optional.empty();
    }

    private void begin(JsonNode start) throws Protocol.UnreadableException {
        if (begun || !(start instanceof ObjectNode object)) {
            throw new Protocol.UnreadableException("the answer begins twice or without a message");
        }
        begun = true;
        message = object;
        VendorUsage.update(usage, start.path("usage"), true);
    }

    private void start(ObjectNode event) throws Protocol.UnreadableException {
        if (!(event.path("content_block") instanceof ObjectNode json)
                || blocks.putIfAbsent(event.path("index").asInt(), new Block(json, new TreeMap<>())) != null) {
            throw new Protocol.UnreadableException(
                    "the answer has a block without content or with a number used before");
        }
        if (json.path("type").asText().equals("text")) {
            tell(json.path("text").asText());
        }
    }

    private Block block(ObjectNode event) throws Protocol.UnreadableException {
        Block block = blocks.get(event.path("index").asInt());
        if (block == null) {
            throw new Protocol.UnreadableException("the answer goes on with a block that did not begin");
        }
        return block;
    }

    private void grow(Block block, JsonNode delta) {
        switch (delta.path("type").asText()) {
            case "text_delta" -> {
                block.append("text", delta.path("text").asText());
                tell(delta.path("text").asText());
            }
            case "input_json_delta" ->
                block.append("partial_json", delta.path("partial_json").asText());
            case "thinking_delta" ->
                block.append("thinking", delta.path("thinking").asText());
            case "signature_delta" ->
                block.append("signature", delta.path("signature").asText());
            default -> {}
        }
    }

    private void tell(String text) {
        if (!text.isEmpty()) {
            listener.onText(text);
        }
    }

    private LlmResponse complete() throws Protocol.UnreadableException, Protocol.ErrorException {
        if (!begun) {
            throw new Protocol.UnreadableException("the answer ended before it began");
        }
        ArrayNode content = message.putArray("content");
        for (Block block : blocks.values()) {
            ObjectNode json = block.complete();
            String input = json.path("partial_json").asText();
            json.remove("partial_json");
            if (!input.isEmpty()) {
                // What is no object goes on as the text that it is.
                VendorJson.parseObject(input)
                        .ifPresentOrElse(object -> json.set("input", object), () -> json.put("input", input));
            }
            content.add(json);
        }
        message.set("usage", usage);
        return MessagesResponse.read(model, message, forAnHour);
    }
}
