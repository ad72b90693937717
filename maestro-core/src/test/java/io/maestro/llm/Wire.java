package io.maestro.llm;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.llm.LlmContent.Reasoning;
import io.maestro.llm.LlmContent.Text;
import io.maestro.llm.LlmContent.ToolUse;
import io.maestro.llm.LlmResponse.StopReason;
import io.maestro.llm.LoopbackApi.Answer;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** How each vendor says a thing, as a whole or piece by piece. */
enum Wire {
    ANTHROPIC(true, false),
    ANTHROPIC_STREAM(true, true),
    OPENAI(false, false),
    OPENAI_STREAM(false, true);

    private static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    final boolean anthropic;
    final boolean stream;

    Wire(boolean anthropic, boolean stream) {
        this.anthropic = anthropic;
        this.stream = stream;
    }

    VendorBuilder client(URI url, FakeClock clock) {
        VendorBuilder builder = anthropic
                ? VendorBuilder.of(AnthropicClient.builder("m"))
                : VendorBuilder.of(OpenAiClient.builder("m"));
        return builder.connection(c -> c.apiKey(Asked.KEY)
                .baseUrl(url)
                .streaming(stream)
                .requestTimeLimit(Duration.ofSeconds(20))
                .clock(clock));
    }

    String contentType() {
        return stream ? "text/event-stream; charset=utf-8" : "application/json";
    }

    Answer answer(LlmResponse said) {
        return ok(body(said));
    }

    Answer ok(String body) {
        return new Answer(200, Map.of("content-type", contentType()), body.getBytes(StandardCharsets.UTF_8));
    }

    String body(LlmResponse said) {
        return stream ? String.join("", events(said)) : whole(said);
    }

    Answer error(int status, String type, String message) {
        return Answer.json(status, errorBody(type, message));
    }

    String errorBody(String type, String message) {
        ObjectNode body = JSON.createObjectNode();
        if (anthropic) {
            body.put("type", "error");
        }
        body.putObject("error").put("type", type).put("message", message);
        return body.toString();
    }

    /** An error in the middle of a stream. */
    String errorEvent(String type, String message) {
        return anthropic
                ? event(JSON.createObjectNode()
                        .put("type", "error")
                        .set("error", JSON.createObjectNode().put("type", type).put("message", message)))
                : event(JSON.createObjectNode()
                        .put("type", "error")
                        .put("code", type)
                        .put("message", message));
    }

    String whole(LlmResponse said) {
        return (anthropic ? message(said) : response(said)).toString();
    }

    List<String> events(LlmResponse said) {
        return anthropic ? messageEvents(said) : responseEvents(said);
    }

    private static ObjectNode message(LlmResponse said) {
        ObjectNode message = JSON.createObjectNode()
                .put("type", "message")
                .put("model", said.model())
                .put("stop_reason", said.stopReason().name().toLowerCase(Locale.ROOT));
        message.putObject("usage")
                .put("input_tokens", said.usage().inputTokens())
                .put("output_tokens", said.usage().outputTokens())
                .put("cache_read_input_tokens", said.usage().cacheReadTokens())
                .put("cache_creation_input_tokens", said.usage().cacheWriteTokens());
        ArrayNode content = message.putArray("content");
        said.content().forEach(part -> content.add(block(part)));
        return message;
    }

    private static ObjectNode block(LlmContent part) {
        if (part instanceof ToolUse use) {
            ObjectNode block = JSON.createObjectNode()
                    .put("type", "tool_use")
                    .put("id", use.id())
                    .put("name", use.name());
            return block.set("input", parsed(use.input()));
        }
        if (part instanceof Reasoning reasoning) {
            return (ObjectNode) parsed(reasoning.json());
        }
        return JSON.createObjectNode().put("type", "text").put("text", ((Text) part).text());
    }

    /** What is no JSON stays the text that it is. */
    private static JsonNode parsed(String json) {
        try {
            return JSON.readTree(json);
        } catch (JsonProcessingException e) {
            return JSON.getNodeFactory().textNode(json);
        }
    }

    private static List<String> messageEvents(LlmResponse said) {
        List<String> events = new ArrayList<>();
        ObjectNode start = message(said);
        start.putArray("content");
        start.putNull("stop_reason");
        ((ObjectNode) start.path("usage")).put("output_tokens", 1);
        events.add(event(JSON.createObjectNode().put("type", "message_start").set("message", start)));
        events.add(event(JSON.createObjectNode().put("type", "ping")));
        for (int i = 0; i < said.content().size(); i++) {
            addBlock(events, i, said.content().get(i));
        }
        ObjectNode end = JSON.createObjectNode().put("type", "message_delta");
        end.putObject("delta").put("stop_reason", said.stopReason().name().toLowerCase(Locale.ROOT));
        end.putObject("usage").put("output_tokens", said.usage().outputTokens());
        events.add(event(end));
        events.add(event(JSON.createObjectNode().put("type", "message_stop")));
        return events;
    }

    private static void addBlock(List<String> events, int index, LlmContent part) {
        ObjectNode block = block(part);
        List<ObjectNode> deltas = new ArrayList<>();
        if (part instanceof Text text) {
            block.put("text", "");
            pieces(text.text()).forEach(piece -> deltas.add(delta("text_delta", "text", piece)));
        } else if (part instanceof ToolUse use) {
            block.putObject("input");
            pieces(use.input()).forEach(piece -> deltas.add(delta("input_json_delta", "partial_json", piece)));
        } else if (block.path("type").asText().equals("thinking")) {
            deltas.add(
                    delta("thinking_delta", "thinking", block.path("thinking").asText()));
            deltas.add(delta(
                    "signature_delta", "signature", block.path("signature").asText()));
            block.put("thinking", "").put("signature", "");
        }
        events.add(event(JSON.createObjectNode()
                .put("type", "content_block_start")
                .put("index", index)
                .set("content_block", block)));
        deltas.forEach(delta -> events.add(event(JSON.createObjectNode()
                .put("type", "content_block_delta")
                .put("index", index)
                .set("delta", delta))));
        events.add(
                event(JSON.createObjectNode().put("type", "content_block_stop").put("index", index)));
    }

    private static ObjectNode delta(String type, String name, String text) {
        return JSON.createObjectNode().put("type", type).put(name, text);
    }

    private static List<String> pieces(String text) {
        int middle = text.offsetByCodePoints(0, text.codePointCount(0, text.length()) / 2);
        return List.of(text.substring(0, middle), text.substring(middle));
    }

    private static ObjectNode response(LlmResponse said) {
        String status = switch (said.stopReason()) {
            case END_TURN, TOOL_USE, REFUSAL -> "completed";
            case MAX_TOKENS -> "incomplete";
            case OTHER -> "something_new";
        };
        ObjectNode response = JSON.createObjectNode()
                .put("object", "response")
                .put("model", said.model())
                .put("status", status)
                .putNull("error");
        if (said.stopReason() == StopReason.MAX_TOKENS) {
            response.putObject("incomplete_details").put("reason", "max_output_tokens");
        }
        response.putObject("usage")
                .put("input_tokens", said.usage().inputTokens() + said.usage().cacheReadTokens())
                .put("output_tokens", said.usage().outputTokens())
                .putObject("input_tokens_details")
                .put("cached_tokens", said.usage().cacheReadTokens());
        ArrayNode output = response.putArray("output");
        said.content().forEach(part -> output.add(item(part)));
        return response;
    }

    private static ObjectNode item(LlmContent part) {
        if (part instanceof ToolUse use) {
            return JSON.createObjectNode()
                    .put("type", "function_call")
                    .put("id", "fc_" + use.id())
                    .put("call_id", use.id())
                    .put("name", use.name())
                    .put("arguments", use.input());
        }
        if (part instanceof Reasoning reasoning) {
            return (ObjectNode) parsed(reasoning.json());
        }
        ObjectNode item = JSON.createObjectNode().put("type", "message").put("role", "assistant");
        item.putArray("content").addObject().put("type", "output_text").put("text", ((Text) part).text());
        return item;
    }

    private static List<String> responseEvents(LlmResponse said) {
        List<String> events = new ArrayList<>();
        ObjectNode whole = response(said);
        ObjectNode begun = whole.deepCopy().put("status", "in_progress");
        begun.putArray("output");
        events.add(event(JSON.createObjectNode().put("type", "response.created").set("response", begun)));
        events.add(event(
                JSON.createObjectNode().put("type", "response.in_progress").set("response", begun)));
        for (int i = 0; i < said.content().size(); i++) {
            if (said.content().get(i) instanceof Text text) {
                for (String piece : pieces(text.text())) {
                    events.add(event(JSON.createObjectNode()
                            .put("type", "response.output_text.delta")
                            .put("output_index", i)
                            .put("delta", piece)));
                }
            }
            events.add(event(JSON.createObjectNode()
                    .put("type", "response.output_item.done")
                    .put("output_index", i)
                    .set("item", item(said.content().get(i)))));
        }
        String end = said.stopReason() == StopReason.MAX_TOKENS ? "response.incomplete" : "response.completed";
        events.add(event(JSON.createObjectNode().put("type", end).set("response", whole)));
        return events;
    }

    static String event(JsonNode data) {
        return "event: " + data.path("type").asText() + "\ndata: " + data + "\n\n";
    }
}
