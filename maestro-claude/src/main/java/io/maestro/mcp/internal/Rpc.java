package io.maestro.mcp.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** The envelopes of JSON-RPC 2.0. */
final class Rpc {
    static final int PARSE_ERROR = -32700;
    static final int INVALID_REQUEST = -32600;
    static final int METHOD_NOT_FOUND = -32601;
    static final int INVALID_PARAMS = -32602;
    static final int INTERNAL_ERROR = -32603;

    /** Of the stateless version: the HTTP headers say something else than the body. */
    static final int HEADER_MISMATCH = -32020;

    /** Of the stateless version. */
    static final int UNSUPPORTED_VERSION = -32022;

    /** Outside of the range that MCP has reserved. Only for a client that waits where it could not be left without an answer. */
    static final int CANCELLED = -32800;

    private Rpc() {}

    static ObjectNode result(JsonNode id, JsonNode result) {
        ObjectNode message = Json.object().put("jsonrpc", "2.0");
        message.set("id", id);
        message.set("result", result);
        return message;
    }

    /** An error; the id is null where it could not be read. */
    static ObjectNode error(@Nullable JsonNode id, int code, String text) {
        ObjectNode message = Json.object().put("jsonrpc", "2.0");
        message.set("id", id == null ? NullNode.getInstance() : id);
        message.putObject("error").put("code", code).put("message", text);
        return message;
    }

    static ObjectNode notification(String method, ObjectNode params) {
        ObjectNode message = Json.object().put("jsonrpc", "2.0").put("method", method);
        message.set("params", params);
        return message;
    }

    /** The id of a request, if it has one that is valid. */
    static @Nullable JsonNode id(JsonNode message) {
        JsonNode id = message.get("id");
        return id != null && (id.isTextual() || id.isIntegralNumber()) ? id : null;
    }

    /** The code of an error; 0 for anything else. */
    static int code(JsonNode message) {
        return message.path("error").path("code").asInt(0);
    }
}
