package io.maestro.mcp.internal;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.mcp.McpAnswer;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolResult;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Tools and their answers in the words of the protocol. */
final class ToolsJson {
    private ToolsJson() {}

    static ObjectNode list(List<ToolDefinition> tools, String version) {
        ObjectNode result = Json.object();
        ArrayNode array = result.putArray("tools");
        for (ToolDefinition tool : tools) {
            ObjectNode node = array.addObject().put("name", tool.name()).put("description", tool.description());
            node.set("inputSchema", Json.tree(tool.input().asMap()));
            if (Versions.atLeast(version, Versions.BATCHES)) {
                node.putObject("annotations")
                        .put("readOnlyHint", tool.readOnly())
                        .put("destructiveHint", !tool.readOnly());
            }
        }
        return result;
    }

    /**
     * The answer of a tool. Claude Code shows a model the structured content in the place of the text, so the text is in it, too.
     */
    static ObjectNode result(McpAnswer whole, String version) {
        ToolResult answer = whole.result();
        ObjectNode result = Json.object();
        ArrayNode content = result.putArray("content");
        content.addObject().put("type", "text").put("text", answer.text());
        whole.more().forEach(part -> content.add(Json.tree(part.asMap())));
        result.put("isError", answer.isError());
        if (!answer.data().isEmpty() && Versions.atLeast(version, Versions.STRUCTURED)) {
            Map<String, Object> structured = new LinkedHashMap<>();
            structured.put("text", answer.text());
            structured.putAll(answer.data());
            result.set("structuredContent", Json.tree(structured));
        }
        return result;
    }
}
