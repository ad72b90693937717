package io.maestro.claude.internal.run;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.claude.ClaudeEvent.ControlRequest;
import io.maestro.claude.ClaudeEvent.ControlResponse;
import io.maestro.mcp.McpConnection;
import io.maestro.wire.internal.JsonLimits;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Speaks with the CLI over its standard input and output: the user's messages, its control requests, and MCP inside of these. */
final class ControlChannel {
    private static final Logger LOG = LoggerFactory.getLogger(ControlChannel.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String INITIALIZE = "maestro-initialize";

    private static final Pattern COMMAND = Pattern.compile("[^!-~]*[/!#@]");
    private static final int LONGEST_ID = 128;
    private static final int MOST_ASKED = 100;

    private final Outbox out;

    /** Null when MCP goes another way. */
    private final @Nullable McpConnection mcp;

    /** The control request that waits for the answer to a JSON-RPC request, by the id of this as JSON. */
    private final Map<String, String> asked = new ConcurrentHashMap<>();

    /** The request that the server is being told at this moment, as above; of the thread that reads. */
    private String receiving = "";

    private final AtomicLong next = new AtomicLong();

    /** Said once the CLI knows how it is used; touched by the starting thread, then by the one that reads. */
    private volatile @Nullable String firstMessage;

    /** Null when all of the CLI's own tools may run. */
    private final @Nullable ToolHook hook;

    ControlChannel(Outbox out, McpLink link, @Nullable ToolHook hook) {
        this.out = out;
        this.hook = hook;
        this.mcp = link instanceof McpLink.Channel channel ? channel.connect().apply(this::fromServer) : null;
    }

    /** Begins the conversation. */
    void begin(String message) {
        firstMessage = message;
        ObjectNode request = JSON.createObjectNode().put("subtype", "initialize");
        // Otherwise a session keeps the system prompt that it has begun with, whatever a later run says.
        request.put("systemPromptSnapshot", false);
        if (mcp != null) {
            request.putArray("sdkMcpServers").add(McpLink.SERVER);
        }
        if (hook != null) {
            ToolHook.announce(request);
        }
        request(INITIALIZE, request);
    }

    /** The user says something; the only place where a user's message is written. */
    void say(String message) {
        ObjectNode line = JSON.createObjectNode().put("type", "user");
        line.putObject("message").put("role", "user").put("content", asText(message));
        out.say(line);
    }

    /**
     * A message could be a command of the CLI's, such as {@code /clear}, {@code !ls} or {@code #remember}, when its first character
     * of ASCII that is seen is one of these signs.
     */
    private static String asText(String message) {
        return COMMAND.matcher(message).lookingAt() ? "The message is:\n" + message : message;
    }

    /** The CLI gives up what it does, ends its commands, writes the session to the disk and exits. */
    void endSession() {
        request(nextId(), JSON.createObjectNode().put("subtype", "end_session"));
        out.close();
    }

    void close() {
        if (hook != null) {
            hook.close();
        }
        if (mcp != null) {
            mcp.close();
        }
    }

    /**
     * Takes an answer of the CLI.
     *
     * @return what the CLI has refused, if the run cannot go on without it
     */
    Optional<String> received(ControlResponse response) {
        if (!response.requestId().equals(INITIALIZE)) {
            return Optional.empty();
        }
        if (!response.success()) {
            return Optional.of("the CLI refuses how it is to be used: " + response.response());
        }
        String message = firstMessage;
        firstMessage = null;
        if (message != null) {
            say(message);
        }
        return Optional.empty();
    }

    /** Takes a question of the CLI. */
    void received(ControlRequest request) {
        if (hook != null && request.subtype().equals(ToolHook.SUBTYPE)) {
            hook.call(request, this::decided);
            return;
        }
        JsonNode message = request.subtype().equals("mcp_message") ? message(request) : null;
        if (mcp == null || message == null) {
            refuse(request, "Maestro does not answer " + request.subtype());
            return;
        }
        JsonNode id = message.path("id");
        if (id.isMissingNode() || id.isNull() || !message.has("method")) {
            // The CLI waits for an answer to a notification, too.
            ObjectNode nothing = JSON.createObjectNode().put("jsonrpc", "2.0").put("id", 0);
            nothing.putObject("result");
            respondMcp(request.requestId(), nothing);
            if (message.path("method").asText().equals("notifications/cancelled")) {
                // The server does not answer that call any more.
                asked.remove(message.path("params").path("requestId").toString());
            }
        } else if (!isId(id)) {
            refuse(request, "The id of a message must be a string or a number of up to " + LONGEST_ID + " characters.");
            return;
        } else if (asked.size() >= MOST_ASKED) {
            refuse(request, "Maestro answers " + MOST_ASKED + " requests at a time.");
            return;
        } else {
            asked.put(id.toString(), request.requestId());
        }
        receiving = id.toString();
        mcp.receive(message.toString());
        receiving = "";
    }

    private void decided(String requestId, JsonNode decision) {
        ObjectNode answer = answer("success", requestId);
        answer.set("response", decision);
        respond(answer);
    }

    private static boolean isId(JsonNode id) {
        return (id.isTextual() || id.isIntegralNumber()) && id.asText().length() <= LONGEST_ID;
    }

    private void refuse(ControlRequest request, String why) {
        ObjectNode answer = answer("error", request.requestId());
        answer.put("error", why);
        respond(answer);
    }

    private static @Nullable JsonNode message(ControlRequest request) {
        JsonNode content = JsonLimits.tree(request.request());
        JsonNode message = content == null ? null : content.path("message");
        boolean ours = content != null && content.path("server_name").asText().equals(McpLink.SERVER);
        return ours && message != null && message.isObject() ? message : null;
    }

    /** A message of the server for the CLI. */
    private void fromServer(String text) {
        JsonNode message;
        try {
            message = JSON.readTree(text);
        } catch (JsonProcessingException e) {
            LOG.error("the MCP server says something that is no JSON, which is left out");
            return;
        }
        if (message.has("method")) {
            ObjectNode carrier = JSON.createObjectNode().put("subtype", "mcp_message");
            carrier.put("server_name", McpLink.SERVER).set("message", message);
            request(nextId(), carrier);
            return;
        }
        JsonNode id = message.path("id");
        // An error that names no request is said at once, on the thread that has brought it.
        String request = asked.remove(id.isNull() ? receiving : id.toString());
        if (request != null) {
            respondMcp(request, message);
        }
    }

    private String nextId() {
        return "maestro-" + next.incrementAndGet();
    }

    private void request(String id, ObjectNode request) {
        ObjectNode line = JSON.createObjectNode().put("type", "control_request").put("request_id", id);
        line.set("request", request);
        out.say(line);
    }

    private void respondMcp(String requestId, JsonNode message) {
        ObjectNode answer = answer("success", requestId);
        answer.putObject("response").set("mcp_response", message);
        respond(answer);
    }

    private static ObjectNode answer(String subtype, String requestId) {
        return JSON.createObjectNode().put("subtype", subtype).put("request_id", requestId);
    }

    private void respond(ObjectNode answer) {
        ObjectNode line = JSON.createObjectNode().put("type", "control_response");
        line.set("response", answer);
        out.say(line);
    }
}
