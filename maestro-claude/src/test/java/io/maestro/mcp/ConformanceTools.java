package io.maestro.mcp;

import io.maestro.tools.InputSchema;
import io.maestro.tools.Property;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolResult;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The tools that the public conformance suite wants a server to have. */
final class ConformanceTools implements McpTools {
    private static final String SCHEMA = """
            {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
             "$defs": {"address": {"$anchor": "addressDef", "type": "object",
               "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
             "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"},
               "contactMethod": {"type": "string", "enum": ["phone", "email"]},
               "phone": {"type": "string"}, "email": {"type": "string"}},
             "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
             "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
             "then": {"required": ["phone"]}, "else": {"required": ["email"]}, "additionalProperties": false}
            """;

    private final Map<String, ToolDefinition> tools = new LinkedHashMap<>();

    ConformanceTools() {
        for (String name : List.of(
                "test_simple_text",
                "test_error_handling",
                "test_tool_with_progress",
                "test_image_content",
                "test_audio_content",
                "test_embedded_resource",
                "test_multiple_content_types",
                "test_logging_tool",
                "test_streaming_elicitation")) {
            add(name, InputSchema.empty());
        }
        add("json_schema_2020_12_tool", InputSchema.ofMap(asMap()));
        add(
                "test_custom_header",
                InputSchema.of(schema ->
                        schema.required("region", Property.string("where").with("x-mcp-header", "Region"))));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> asMap() {
        return Messages.MAPPER.convertValue(Messages.read(SCHEMA), Map.class);
    }

    private void add(String name, InputSchema input) {
        tools.put(
                name,
                ToolDefinition.builder(name)
                        .description("For the suite")
                        .input(input)
                        .build());
    }

    @Override
    public List<ToolDefinition> list() {
        return List.copyOf(tools.values());
    }

    @Override
    public ToolResult call(McpCall call) {
        return switch (call.tool()) {
            case "test_error_handling" -> ToolResult.error("This tool intentionally returns an error for testing");
            case "test_tool_with_progress" -> slow();
            default ->
                tools.containsKey(call.tool())
                        ? ToolResult.ok("This is a simple text response for testing.")
                        : ToolResult.error("no such tool");
        };
    }

    @Override
    public McpAnswer answer(McpCall call) {
        byte[] data = "not really".getBytes(StandardCharsets.US_ASCII);
        McpContent image = McpContent.image(data, "image/png");
        McpContent resource = McpContent.resource("test://resource", "application/json", "{}");
        return new McpAnswer(
                call(call),
                switch (call.tool()) {
                    case "test_image_content" -> List.of(image);
                    case "test_audio_content" -> List.of(McpContent.audio(data, "audio/wav"));
                    case "test_embedded_resource" -> List.of(resource);
                    case "test_multiple_content_types" -> List.of(image, resource);
                    default -> List.of();
                });
    }

    /** Long enough for several of the server's own notifications. */
    private static ToolResult slow() {
        try {
            Thread.sleep(400);
            return ToolResult.ok("done");
        } catch (InterruptedException e) {
            return ToolResult.error("interrupted");
        }
    }
}
