package io.maestro.mcp.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Understands messages, whatever carried them. Safe for use by several threads. */
final class Protocol {
    private static final Logger LOG = LoggerFactory.getLogger(Protocol.class);

    /** Each answer of a batch may be longer than its request. */
    private static final int MOST_IN_BATCH = 256;

    private final Settings settings;
    private final ToolCalls toolCalls;

    Protocol(Settings settings, Calls calls) {
        this.settings = settings;
        this.toolCalls = new ToolCalls(settings, calls);
    }

    /** Takes a message, or a batch, from a transport that knows no more than its text. */
    void receive(String text, McpSession session, Replies replies) {
        JsonNode message;
        try {
            message = Json.read(text);
        } catch (Json.BadMessage e) {
            replies.respond(Rpc.error(null, Rpc.PARSE_ERROR, "The message is " + e.getMessage()));
            return;
        }
        receive(message, session, replies);
    }

    void receive(JsonNode message, McpSession session, Replies replies) {
        if (message.isArray()) {
            batch(message, session, replies);
        } else {
            single(message, session, replies);
        }
    }

    private void batch(JsonNode messages, McpSession session, Replies replies) {
        if (!session.version().equals(Versions.BATCHES)) {
            replies.respond(Rpc.error(
                    null,
                    Rpc.INVALID_REQUEST,
                    "Batches exist in version " + Versions.BATCHES + " only; send one message at a time."));
        } else if (messages.isEmpty() || messages.size() > MOST_IN_BATCH) {
            replies.respond(Rpc.error(
                    null,
                    Rpc.INVALID_REQUEST,
                    "A batch holds 1 to " + MOST_IN_BATCH + " messages, this one " + messages.size() + "."));
        } else {
            BatchReplies batch = new BatchReplies(replies, messages.size());
            messages.forEach(message -> single(message, session, batch.next()));
        }
    }

    private void single(JsonNode message, McpSession session, Replies replies) {
        JsonNode id = Rpc.id(message);
        String fault = fault(message, id);
        if (fault != null) {
            replies.respond(Rpc.error(id, Rpc.INVALID_REQUEST, fault));
            return;
        }
        String method = message.path("method").asText("");
        JsonNode params = message.path("params");
        if (id == null || method.isEmpty()) {
            notified(method, params, session);
            replies.none();
        } else if (!params.isMissingNode() && !params.isObject()) {
            replies.respond(Rpc.error(id, Rpc.INVALID_PARAMS, "The params must be an object."));
        } else {
            try {
                requested(id, method, params, session, replies);
            } catch (RuntimeException e) {
                // The list of tools is the host's code.
                LOG.error("An MCP request failed: {}", e.getClass().getName());
                LOG.debug("Why an MCP request failed", e);
                replies.respond(Rpc.error(
                        id,
                        Rpc.INTERNAL_ERROR,
                        "The request failed with " + e.getClass().getSimpleName() + "."));
            }
        }
    }

    /** What is wrong with the envelope. A response is fine: this server asks nothing, so it means nothing. */
    private static @Nullable String fault(JsonNode message, @Nullable JsonNode id) {
        if (!message.isObject()) {
            return "A message must be a JSON object.";
        }
        if (!message.path("jsonrpc").asText("").equals("2.0")) {
            return "A message must have \"jsonrpc\": \"2.0\".";
        }
        if (message.has("id") && id == null) {
            return "The id of a message must be a string or an integer.";
        }
        if (message.has("method") ? !message.path("method").isTextual() : !isResponse(message)) {
            return "A message must have a method, which is a string.";
        }
        return null;
    }

    private static boolean isResponse(JsonNode message) {
        return message.has("id") && (message.has("result") || message.has("error"));
    }

    private static void notified(String method, JsonNode params, McpSession session) {
        JsonNode request = params.path("requestId");
        if (method.equals("notifications/cancelled") && (request.isTextual() || request.isIntegralNumber())) {
            session.cancel(request);
        }
    }

    private void requested(JsonNode id, String method, JsonNode params, McpSession session, Replies replies) {
        Stateless stateless = Stateless.of(params);
        if (stateless != null) {
            ObjectNode fault = stateless.fault(id);
            if (fault != null) {
                replies.respond(fault);
                return;
            }
        }
        String version = stateless == null ? session.version() : Versions.STATELESS;
        switch (method) {
            case "tools/call" -> toolCalls.call(id, params, version, session, replies);
            case "tools/list" ->
                replies.respond(finished(id, ToolsJson.list(settings.tools().list(), version), version, true));
            case "server/discover" -> {
                if (stateless == null) {
                    replies.respond(Stateless.noVersion(id));
                } else {
                    replies.respond(finished(id, discovered(), version, true));
                }
            }
            case "initialize", "ping" -> {
                if (stateless != null) {
                    replies.respond(unknown(id, method));
                } else if (method.equals("ping")) {
                    replies.respond(Rpc.result(id, Json.object()));
                } else {
                    initialize(id, params, session, replies);
                }
            }
            default -> replies.respond(unknown(id, method));
        }
    }

    private static ObjectNode unknown(JsonNode id, String method) {
        return Rpc.error(
                id,
                Rpc.METHOD_NOT_FOUND,
                "There is no method '" + clip(method) + "' here; this server has tools only.");
    }

    private void initialize(JsonNode id, JsonNode params, McpSession session, Replies replies) {
        if (!params.path("protocolVersion").isTextual()) {
            replies.respond(Rpc.error(id, Rpc.INVALID_PARAMS, "initialize needs a protocolVersion, a string."));
            return;
        }
        String version = Versions.negotiate(params.path("protocolVersion").asText());
        session.begin(version);
        ObjectNode result = Json.object().put("protocolVersion", version);
        result.putObject("capabilities").putObject("tools");
        result.set("serverInfo", serverInfo());
        if (!settings.get(Settings.INSTRUCTIONS).isEmpty()) {
            result.put("instructions", settings.get(Settings.INSTRUCTIONS));
        }
        replies.respond(Rpc.result(id, result));
    }

    private ObjectNode discovered() {
        ObjectNode result = Json.object();
        result.set("supportedVersions", Json.tree(List.of(Versions.STATELESS)));
        result.putObject("capabilities").putObject("tools");
        if (!settings.get(Settings.INSTRUCTIONS).isEmpty()) {
            result.put("instructions", settings.get(Settings.INSTRUCTIONS));
        }
        return result;
    }

    private ObjectNode serverInfo() {
        return Json.object().put("name", settings.get(Settings.NAME)).put("version", settings.get(Settings.VERSION));
    }

    /** A result in the form that the version wants. The tools may change at any time, so nothing may be kept. */
    private ObjectNode finished(JsonNode id, ObjectNode result, String version, boolean cacheable) {
        if (version.equals(Versions.STATELESS)) {
            Stateless.finish(result, serverInfo());
            if (cacheable) {
                result.put("ttlMs", 0).put("cacheScope", "private");
            }
        }
        return Rpc.result(id, result);
    }

    private static String clip(String text) {
        return text.length() <= 100 ? text : text.substring(0, 100) + "…";
    }
}
