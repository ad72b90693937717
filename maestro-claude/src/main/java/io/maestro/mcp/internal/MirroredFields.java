package io.maestro.mcp.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.mcp.McpTools;
import io.maestro.wire.internal.HttpFault;
import io.maestro.wire.internal.HttpHead;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** In the stateless version, header fields repeat what the body says; both must say the same. */
final class MirroredFields {
    private static final List<String> NAMED = List.of("tools/call", "prompts/get");
    private static final String ENCODED = "=?base64?";
    private static final String ENCODED_END = "?=";

    private final McpTools tools;

    MirroredFields(McpTools tools) {
        this.tools = tools;
    }

    /** The error to answer with; null when they agree. */
    @Nullable
    ObjectNode fault(HttpHead head, @Nullable String version, @Nullable Stateless stateless, JsonNode message)
            throws HttpFault {
        JsonNode id = Rpc.id(message);
        String method = message.path("method").asText("");
        if (!message.isObject() || method.isEmpty()) {
            return Rpc.error(id, Rpc.INVALID_REQUEST, "The body must be one request or notification.");
        }
        if (stateless != null && !stateless.version().equals(version)) {
            return mismatch(id, "MCP-Protocol-Version");
        }
        if (!method.equals(head.field("mcp-method"))) {
            return mismatch(id, "Mcp-Method");
        }
        JsonNode params = message.path("params");
        if (NAMED.contains(method) && !says(head, "mcp-name", params.path("name"))) {
            return mismatch(id, "Mcp-Name");
        }
        if (method.equals("resources/read") && !says(head, "mcp-name", params.path("uri"))) {
            return mismatch(id, "Mcp-Name");
        }
        if (stateless == null && id != null) {
            return Stateless.noVersion(id);
        }
        return method.equals("tools/call") ? argumentFault(head, id, params) : null;
    }

    private @Nullable ObjectNode argumentFault(HttpHead head, @Nullable JsonNode id, JsonNode params) throws HttpFault {
        String tool = params.path("name").asText("");
        JsonNode schema = tools.list().stream()
                .filter(definition -> definition.name().equals(tool))
                .map(definition -> Json.tree(definition.input().asMap()))
                .findFirst()
                .orElse(Json.object());
        String field = differing(head, schema, params.path("arguments"));
        return field == null ? null : mismatch(id, field);
    }

    /** The first annotated property, at any depth, whose value its header field does not repeat. */
    private static @Nullable String differing(HttpHead head, JsonNode schema, JsonNode values) throws HttpFault {
        for (Map.Entry<String, JsonNode> property : schema.path("properties").properties()) {
            JsonNode value = values.path(property.getKey());
            JsonNode name = property.getValue().path("x-mcp-header");
            String field = "Mcp-Param-" + name.asText("");
            if (name.isTextual() && !says(head, field.toLowerCase(Locale.ROOT), value)) {
                return field;
            }
            String deeper = differing(head, property.getValue(), value);
            if (deeper != null) {
                return deeper;
            }
        }
        return null;
    }

    private static boolean says(HttpHead head, String field, JsonNode value) throws HttpFault {
        String said = head.field(field);
        if (value.isMissingNode() || value.isNull()) {
            return said == null;
        }
        String plain = said == null ? null : decoded(said);
        if (plain == null) {
            return false;
        }
        if (value.isNumber()) {
            try {
                return new BigDecimal(plain).compareTo(value.decimalValue()) == 0;
            } catch (NumberFormatException e) {
                return false;
            }
        }
        return plain.equals(value.asText());
    }

    /** Null when it cannot be decoded, or is no visible ASCII. */
    private static @Nullable String decoded(String said) {
        if (said.chars().anyMatch(c -> c > '~')) {
            return null;
        }
        if (!said.startsWith(ENCODED) || !said.endsWith(ENCODED_END) || said.length() < ENCODED.length() + 2) {
            return said;
        }
        String encoded = said.substring(ENCODED.length(), said.length() - ENCODED_END.length());
        try {
            // The decoder forgives missing padding, which is not allowed here.
            return encoded.length() % 4 != 0
                    ? null
                    : StandardCharsets.UTF_8
                            .newDecoder()
                            .decode(ByteBuffer.wrap(Base64.getDecoder().decode(encoded)))
                            .toString();
        } catch (IllegalArgumentException | CharacterCodingException e) {
            return null;
        }
    }

    private static ObjectNode mismatch(@Nullable JsonNode id, String field) {
        return Rpc.error(
                id,
                Rpc.HEADER_MISMATCH,
                "Header mismatch: the header field " + field
                        + " is missing, malformed or says something else than the body.");
    }
}
