package io.maestro.claude;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.function.Function;

/** What an MCP server with one tool answers, written by hand: not the library's. */
final class HandMadeServer {
    private static final ObjectMapper JSON = new ObjectMapper();

    private HandMadeServer() {}

    /**
     * The answer to a request.
     *
     * @param version the protocol's
     * @param tool the name of the tool, which takes anything
     * @param text what the tool says to the parameters of its call
     */
    static ObjectNode answer(JsonNode request, String version, String tool, Function<JsonNode, String> text) {
        ObjectNode answer = JSON.createObjectNode().put("jsonrpc", "2.0");
        answer.set("id", request.path("id"));
        ObjectNode result = answer.putObject("result");
        switch (request.path("method").asText()) {
            case "initialize" -> {
                result.put("protocolVersion", version);
                result.putObject("capabilities").putObject("tools");
                result.putObject("serverInfo").put("name", "by-hand").put("version", "1");
            }
            case "tools/list" -> {
                ObjectNode one = result.putArray("tools").addObject();
                one.put("name", tool).put("description", "Does it");
                one.putObject("inputSchema").put("type", "object");
            }
            case "tools/call" ->
                result.putArray("content")
                        .addObject()
                        .put("type", "text")
                        .put("text", text.apply(request.path("params")));
            default -> {
                // An empty result.
            }
        }
        return answer;
    }
}
