package io.maestro.llm.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.llm.LlmContent;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The content of a message for the record: blocks as in the Messages API, but exactly what was said. What must be a JSON
 * object but is none, which the service would refuse, is kept as a string. What is one, but was written in another way than
 * {@link VendorJson} writes it, is kept as an object for those who query the record, and beside it as the text that it was.
 */
public final class MessageJson {
    private MessageJson() {}

    /** Writes the parts as a JSON array. */
    public static String write(List<LlmContent> content) {
        ArrayNode blocks = VendorJson.array();
        content.forEach(part -> blocks.add(block(part)));
        return blocks.toString();
    }

    /**
     * Reads what {@link #write} has written: the same parts, each text as it was. Reasoning is left out whose signature was
     * taken for a secret when it was recorded, which happens by chance: its vendor would refuse the whole conversation.
     *
     * @param json the text of a JSON array
     * @return the parts
     * @throws IllegalArgumentException when it is no array, or has a block that this version does not know; the message
     *     shows none of the content
     */
    public static List<LlmContent> read(String json) {
        JsonNode blocks = VendorJson.parse(json)
                .filter(JsonNode::isArray)
                .orElseThrow(() -> new IllegalArgumentException(
                        "the recorded content of a message is no JSON array (" + json.length() + " characters)"));
        List<LlmContent> content = new ArrayList<>(blocks.size());
        for (JsonNode block : blocks) {
            if (!isSpoilt(block.path("block"))) {
                content.add(part(block));
            }
        }
        return content;
    }

    private static ObjectNode block(LlmContent part) {
        if (part instanceof LlmContent.ToolUse use) {
            ObjectNode block = VendorJson.object()
                    .put("type", "tool_use")
                    .put("id", use.id())
                    .put("name", use.name());
            return putObject(block, "input", use.input());
        }
        if (part instanceof LlmContent.ToolReply reply) {
            return MessagesRequest.toolResult(reply);
        }
        if (part instanceof LlmContent.Reasoning reasoning) {
            ObjectNode block = VendorJson.object().put("type", "reasoning").put("vendor", reasoning.vendor());
            return putObject(block, "block", reasoning.json());
        }
        return VendorJson.object().put("type", "text").put("text", ((LlmContent.Text) part).text());
    }

    /** These are in base64, where no bracket stands. */
    private static boolean isSpoilt(JsonNode reasoning) {
        return Stream.of("signature", "data", "encrypted_content")
                .anyMatch(name -> reasoning.path(name).asText().contains("[REDACTED"));
    }

    private static LlmContent part(JsonNode block) {
        String type = block.path("type").asText();
        return switch (type) {
            case "text" -> new LlmContent.Text(text(block, "text"));
            case "tool_use" ->
                new LlmContent.ToolUse(text(block, "id"), text(block, "name"), objectText(block, "input"));
            case "tool_result" ->
                new LlmContent.ToolReply(
                        text(block, "tool_use_id"),
                        text(block, "content"),
                        block.path("is_error").asBoolean());
            case "reasoning" -> new LlmContent.Reasoning(text(block, "vendor"), objectText(block, "block"));
            default ->
                throw new IllegalArgumentException("a recorded message has a block of type '" + type
                        + "', which this version does not know: read it with the version that wrote it");
        };
    }

    private static ObjectNode putObject(ObjectNode block, String name, String text) {
        Optional<ObjectNode> object = VendorJson.parseObject(text);
        if (object.isEmpty()) {
            return block.put(name, text);
        }
        block.set(name, object.get());
        return object.get().toString().equals(text) ? block : block.put(name + "_text", text);
    }

    private static String objectText(JsonNode block, String name) {
        JsonNode exact = block.path(name + "_text");
        JsonNode value = exact.isTextual() ? exact : required(block, name);
        return value.isTextual() ? value.textValue() : value.toString();
    }

    private static String text(JsonNode block, String name) {
        return required(block, name).asText();
    }

    private static JsonNode required(JsonNode block, String name) {
        JsonNode value = block.path(name);
        if (value.isMissingNode()) {
            throw new IllegalArgumentException("a recorded block of type '"
                    + block.path("type").asText() + "' has no " + name + ": the record is damaged");
        }
        return value;
    }
}
