package io.maestro.claude.internal.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.claude.ClaudeEvent;
import io.maestro.llm.Usage;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.function.Consumer;

/** Stands in for the parser until that is there. */
final class EventReader {
    private EventReader() {}

    static void read(InputStream in, Consumer<ClaudeEvent> sink) throws IOException {
        BufferedReader r = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        ObjectMapper json = new ObjectMapper();
        for (String line = r.readLine(); line != null; line = r.readLine()) {
            JsonNode n = json.readTree(line);
            String sub = n.path("subtype").asText();
            Optional<String> parent =
                    Optional.ofNullable(n.path("parent_tool_use_id").textValue());
            switch (n.path("type").asText()) {
                case "system" -> {
                    if (sub.equals("init")) {
                        Map<String, String> mcp = new HashMap<>();
                        n.path("mcp_servers")
                                .forEach(s -> mcp.put(
                                        s.path("name").asText(),
                                        s.path("status").asText()));
                        sink.accept(new ClaudeEvent.Init(n.path("session_id").asText(), "", "", List.of(), mcp));
                    } else if (sub.equals("api_retry")) {
                        sink.accept(new ClaudeEvent.ApiRetry(
                                n.path("attempt").asInt(),
                                0,
                                n.path("retry_delay_ms").asLong()));
                    } else sink.accept(new ClaudeEvent.Other("system/" + sub));
                }
                case "assistant" ->
                    n.path("message").path("content").forEach(b -> {
                        if (b.path("type").asText().equals("tool_use"))
                            sink.accept(new ClaudeEvent.ToolUse(
                                    b.path("id").asText(),
                                    b.path("name").asText(),
                                    b.path("input").toString(),
                                    parent));
                        else
                            sink.accept(new ClaudeEvent.Said(
                                    n.path("message").path("id").asText(), "", b.toString(), parent));
                    });
                case "user" ->
                    n.path("message").path("content").forEach(b -> {
                        if (b.path("type").asText().equals("tool_result"))
                            sink.accept(new ClaudeEvent.ToolResult(
                                    b.path("tool_use_id").asText(),
                                    b.path("content").toString(),
                                    b.path("is_error").asBoolean(),
                                    parent));
                    });
                case "result" ->
                    sink.accept(new ClaudeEvent.Result(
                            sub,
                            n.path("is_error").asBoolean(),
                            n.path("result").asText()
                                    + (n.has("errors") ? n.path("errors").toString() : ""),
                            n.path("num_turns").asInt(),
                            n.path("total_cost_usd").decimalValue(),
                            Usage.NONE,
                            n.path("session_id").asText()));
                case "control_request" ->
                    sink.accept(new ClaudeEvent.ControlRequest(
                            n.path("request_id").asText(),
                            n.path("request").path("subtype").asText(),
                            n.path("request").toString()));
                case "control_response" ->
                    sink.accept(new ClaudeEvent.ControlResponse(
                            n.path("response").path("request_id").asText(),
                            n.path("response").path("subtype").asText().equals("success"),
                            n.path("response").toString()));
                default -> sink.accept(new ClaudeEvent.Other(n.path("type").asText() + "/" + sub));
            }
        }
    }
}
