package io.maestro.mcp;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Messages as a client writes them. */
final class Messages {
    static final ObjectMapper MAPPER = new ObjectMapper();

    private Messages() {}

    static JsonNode read(String json) {
        try {
            return MAPPER.readTree(json);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(json, e);
        }
    }

    static ObjectNode request(int id, String method, @Nullable String params) {
        ObjectNode message =
                MAPPER.createObjectNode().put("jsonrpc", "2.0").put("id", id).put("method", method);
        if (params != null) {
            message.set("params", read(params));
        }
        return message;
    }

    static ObjectNode notification(String method, String params) {
        ObjectNode message = MAPPER.createObjectNode().put("jsonrpc", "2.0").put("method", method);
        message.set("params", read(params));
        return message;
    }

    static ObjectNode initialize(String version) {
        return request(
                0,
                "initialize",
                "{\"protocolVersion\":\"" + version
                        + "\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}");
    }

    static ObjectNode call(int id, String tool, String arguments) {
        return request(id, "tools/call", "{\"name\":\"" + tool + "\",\"arguments\":" + arguments + "}");
    }

    static ObjectNode waiting(int id, String gate) {
        return call(id, "wait", "{\"text\":\"" + gate + "\"}");
    }

    /** The params that every request of the stateless version has. */
    static ObjectNode stateless(ObjectNode request) {
        ObjectNode params = request.has("params") ? (ObjectNode) request.get("params") : request.putObject("params");
        ObjectNode meta = params.putObject("_meta").put("io.modelcontextprotocol/protocolVersion", "2026-07-28");
        meta.putObject("io.modelcontextprotocol/clientCapabilities");
        return request;
    }

    static void until(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("waited for nothing: " + what);
            }
            try {
                Thread.sleep(2);
            } catch (InterruptedException e) {
                throw new AssertionError("interrupted while waiting: " + what, e);
            }
        }
    }
}
