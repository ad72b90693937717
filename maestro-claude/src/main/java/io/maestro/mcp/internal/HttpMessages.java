package io.maestro.mcp.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.wire.internal.HttpFault;
import io.maestro.wire.internal.HttpHead;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds out which version of the protocol a request over HTTP speaks, and which session it belongs to. */
final class HttpMessages {
    private static final String SESSION = "Mcp-Session-Id";

    private final Protocol protocol;
    private final HttpSessions sessions;
    private final MirroredFields mirrored;

    HttpMessages(Settings settings, Protocol protocol, HttpSessions sessions) {
        this.protocol = protocol;
        this.sessions = sessions;
        this.mirrored = new MirroredFields(settings.tools());
    }

    /**
     * @param onGone gets what is to be done when the client goes away before it was answered: nobody could tell it any more what
     *     its calls have done, so they are cancelled, in all versions
     */
    void handle(HttpHead head, JsonNode message, HttpReply reply, List<Runnable> onGone) throws HttpFault {
        String version = head.field("mcp-protocol-version");
        Stateless stateless = Stateless.of(message.path("params"));
        boolean initializes =
                stateless == null && message.path("method").asText("").equals("initialize");
        if (stateless != null || Versions.STATELESS.equals(version) && !initializes) {
            reply.stateless();
            ObjectNode fault = mirrored.fault(head, version, stateless, message);
            if (fault != null) {
                reply.respond(fault);
                return;
            }
            McpSession own = new McpSession(Versions.STATELESS);
            onGone.add(own::close);
            protocol.receive(message, own, reply);
        } else if (version != null && !Versions.hasHandshake(version) && !initializes) {
            throw new RpcFault(400, Stateless.unsupported(Rpc.id(message), version));
        } else if (initializes) {
            McpSession session = new McpSession(Versions.LATEST_HANDSHAKE);
            if (Rpc.id(message) != null) {
                reply.field(SESSION, sessions.begin(session));
            }
            protocol.receive(message, session, reply);
        } else {
            McpSession session = session(head, message);
            for (JsonNode one : message.isArray() ? message : List.of(message)) {
                JsonNode id = Rpc.id(one);
                if (id != null && one.has("method")) {
                    onGone.add(() -> session.cancel(id));
                }
            }
            protocol.receive(message, session, reply);
        }
    }

    private McpSession session(HttpHead head, JsonNode message) throws HttpFault {
        @Nullable String id = head.field("mcp-session-id");
        if (id == null) {
            throw new RpcFault(
                    400,
                    Rpc.error(
                            Rpc.id(message),
                            Rpc.INVALID_REQUEST,
                            "The header field " + SESSION
                                    + " is missing: send initialize first, and then what it was answered with."));
        }
        McpSession session = sessions.find(id);
        if (session == null) {
            throw new RpcFault(
                    404,
                    Rpc.error(Rpc.id(message), Rpc.INVALID_REQUEST, "The session has ended: send initialize again."));
        }
        return session;
    }
}
