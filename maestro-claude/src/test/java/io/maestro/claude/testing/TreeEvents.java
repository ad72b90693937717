package io.maestro.claude.testing;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.maestro.claude.ClaudeEvent;
import io.maestro.claude.ClaudeEvent.Other;
import io.maestro.claude.ClaudeEvent.Said;
import io.maestro.claude.ClaudeEvent.ToolResult;
import io.maestro.claude.ClaudeEvent.ToolUse;
import io.maestro.llm.Usage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The same events made in the plain way, a tree for each line: what the parser is compared with. */
public final class TreeEvents {
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    private TreeEvents() {}

    /** The events of one line. */
    public static List<ClaudeEvent> of(String text) {
        JsonNode line;
        try {
            line = JSON.readTree(text);
        } catch (JsonProcessingException e) {
            return List.of(new Other("unreadable line"));
        }
        return of(line);
    }

    private static List<ClaudeEvent> of(JsonNode line) {
        String type = line.path("type").asText();
        String subtype = line.path("subtype").asText();
        return switch (type) {
            case "assistant", "user" -> message(line, type);
            case "result" -> List.of(result(line, subtype));
            case "stream_event" -> List.of(partial(line));
            case "control_request" ->
                List.of(new ClaudeEvent.ControlRequest(
                        line.path("request_id").asText(),
                        line.path("request").path("subtype").asText(),
                        line.path("request").toString()));
            case "control_response" ->
                List.of(new ClaudeEvent.ControlResponse(
                        line.path("response").path("request_id").asText(),
                        line.path("response").path("subtype").asText().equals("success"),
                        line.path("response").toString()));
            case "system" ->
                List.of(
                        switch (subtype) {
                            case "init" -> init(line);
                            case "api_retry" ->
                                new ClaudeEvent.ApiRetry(
                                        line.path("attempt").asInt(),
                                        line.path("error_status").asInt(),
                                        line.path("retry_delay_ms").asLong());
                            default -> new Other(type + "/" + subtype);
                        });
            default -> List.of(new Other(subtype.isEmpty() ? type : type + "/" + subtype));
        };
    }

    private static ClaudeEvent partial(JsonNode line) {
        JsonNode event = line.path("event");
        Optional<String> parent =
                Optional.ofNullable(line.path("parent_tool_use_id").textValue());
        return switch (event.path("type").asText()) {
            case "message_start" ->
                new ClaudeEvent.MessageStart(
                        event.path("message").path("id").asText(),
                        event.path("message").path("model").asText(),
                        read(event.path("message").path("usage")),
                        parent);
            case "message_stop" -> new ClaudeEvent.MessageStop(parent);
            case "content_block_delta" ->
                event.path("delta").path("type").asText().equals("text_delta")
                        ? new ClaudeEvent.TextDelta(
                                event.path("delta").path("text").asText(), parent)
                        : new Other("stream_event");
            default -> new Other("stream_event");
        };
    }

    private static Usage read(JsonNode usage) {
        return new Usage(
                usage.path("input_tokens").asLong(),
                0,
                usage.path("cache_read_input_tokens").asLong(),
                usage.path("cache_creation_input_tokens").asLong(),
                usage.path("cache_creation").path("ephemeral_1h_input_tokens").asLong());
    }

    private static ClaudeEvent init(JsonNode line) {
        List<String> tools = new ArrayList<>();
        line.path("tools").forEach(tool -> tools.add(tool.asText()));
        Map<String, String> servers = new LinkedHashMap<>();
        line.path("mcp_servers")
                .forEach(server -> servers.put(
                        server.path("name").asText(), server.path("status").asText()));
        return new ClaudeEvent.Init(
                line.path("session_id").asText(),
                line.path("model").asText(),
                line.path("claude_code_version").asText(),
                tools,
                servers);
    }

    private static ClaudeEvent result(JsonNode line, String subtype) {
        List<String> errors = new ArrayList<>();
        line.path("errors").forEach(error -> errors.add(error.asText()));
        JsonNode usage = line.path("usage");
        return new ClaudeEvent.Result(
                subtype,
                line.path("is_error").asBoolean(),
                line.has("result") ? line.path("result").asText() : String.join("\n", errors),
                line.path("num_turns").asInt(),
                line.path("total_cost_usd").decimalValue(),
                new Usage(
                        usage.path("input_tokens").asLong(),
                        usage.path("output_tokens").asLong(),
                        usage.path("cache_read_input_tokens").asLong(),
                        usage.path("cache_creation_input_tokens").asLong(),
                        usage.path("cache_creation")
                                .path("ephemeral_1h_input_tokens")
                                .asLong()),
                models(line.path("modelUsage")),
                line.path("api_error_status").asInt(),
                line.path("stop_reason").asText(""),
                line.path("session_id").asText());
    }

    private static Map<String, Usage> models(JsonNode models) {
        Map<String, Usage> usages = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> model : models.properties()) {
            JsonNode usage = model.getValue();
            usages.put(
                    model.getKey(),
                    new Usage(
                            usage.path("inputTokens").asLong(),
                            usage.path("outputTokens").asLong(),
                            usage.path("cacheReadInputTokens").asLong(),
                            usage.path("cacheCreationInputTokens").asLong(),
                            usage.path("cacheCreationEphemeral1hInputTokens").asLong()));
        }
        return usages;
    }

    private static List<ClaudeEvent> message(JsonNode line, String type) {
        JsonNode message = line.path("message");
        Optional<String> parent =
                Optional.ofNullable(line.path("parent_tool_use_id").textValue());
        List<ClaudeEvent> events = new ArrayList<>();
        for (JsonNode block : message.path("content")) {
            String kind = block.path("type").asText();
            if (type.equals("assistant")) {
                events.add(new Said(
                        message.path("id").asText(), message.path("model").asText(), block.toString(), parent));
                if (kind.equals("tool_use")) {
                    events.add(new ToolUse(
                            block.path("id").asText(),
                            block.path("name").asText(),
                            block.path("input").toString(),
                            parent));
                }
            } else if (kind.equals("tool_result")) {
                events.add(new ToolResult(
                        block.path("tool_use_id").asText(),
                        text(block.path("content")),
                        block.path("is_error").asBoolean(),
                        parent));
            }
        }
        if (type.equals("assistant") && message.path("model").asText().equals("<synthetic>") && line.has("error")) {
            events.add(new ClaudeEvent.ApiError(line.path("error").asText(), parent));
        }
        return events.isEmpty() ? List.of(new Other(type)) : events;
    }

    private static String text(JsonNode content) {
        if (content.isTextual()) {
            return content.asText();
        }
        List<String> texts = new ArrayList<>();
        content.forEach(part -> texts.add(
                part.has("text")
                        ? part.path("text").asText()
                        : "[" + part.path("type").asText() + "]"));
        return String.join("\n", texts);
    }

    /** The same event with all JSON in it in one form, so that two ways to write the same are equal. */
    public static ClaudeEvent normal(ClaudeEvent event) {
        if (event instanceof Said said) {
            return new Said(said.messageId(), said.model(), normal(said.block()), said.parent());
        }
        if (event instanceof ToolUse use) {
            return new ToolUse(use.id(), use.name(), normal(use.input()), use.parent());
        }
        if (event instanceof ClaudeEvent.ControlRequest request) {
            return new ClaudeEvent.ControlRequest(request.requestId(), request.subtype(), normal(request.request()));
        }
        if (event instanceof ClaudeEvent.ControlResponse response) {
            return new ClaudeEvent.ControlResponse(
                    response.requestId(), response.success(), normal(response.response()));
        }
        return event;
    }

    private static String normal(String json) {
        try {
            return JSON.readTree(json).toString();
        } catch (JsonProcessingException e) {
            throw new AssertionError("no JSON: " + json, e);
        }
    }
}
