package io.maestro.mcpclient.internal;

import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCNotification;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCRequest;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * Stands between a transport and the SDK's session, and lets through only answers that are waited for, each once, and requests,
 * which the session refuses. The session itself would write a line into the log for each stray message, and keep what it
 * has for an answer that never comes. It logs what it gets, too, so that it gets no text of the server's to read.
 */
final class GuardedTransport implements McpClientTransport {
    /** In the context of a request: gets its id. */
    static final String ID = "maestro.request";

    /** So many messages in a row that nobody waits for are an attack or a fault. */
    private static final int MOST_STRAY = 10_000;

    private static final int CANCELLED = -32_800;

    private static final Logger LOG = LoggerFactory.getLogger(GuardedTransport.class);

    private final McpClientTransport transport;
    private final String server;
    private final Runnable listChanged;
    private final Consumer<String> broken;
    private final Set<Object> awaited = ConcurrentHashMap.newKeySet();
    private final AtomicInteger stray = new AtomicInteger();
    private volatile Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> session = messages -> messages;

    /**
     * Makes a guard.
     *
     * @param transport what it guards
     * @param server its name, for the log
     * @param listChanged called when the server says that it has other tools now
     * @param broken called when it sends what nobody waits for, without end
     */
    GuardedTransport(McpClientTransport transport, String server, Runnable listChanged, Consumer<String> broken) {
        this.transport = transport;
        this.server = server;
        this.listChanged = listChanged;
        this.broken = broken;
    }

    @Override
    public Mono<Void> connect(Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
        session = handler;
        return transport.connect(
                messages -> handler.apply(messages.filter(this::passes).map(GuardedTransport::unread)));
    }

    /** What a server has sent, on its way through the session. */
    private record Unread(Object value) {
        /** Not the value: it may hold secrets. */
        @Override
        public String toString() {
            return "not logged";
        }
    }

    private static JSONRPCMessage unread(JSONRPCMessage message) {
        if (message instanceof JSONRPCRequest request) {
            boolean ping = McpSchema.METHOD_PING.equals(request.method());
            return new JSONRPCRequest(ping ? request.method() : "unsupported", request.id(), null);
        }
        if (!(message instanceof JSONRPCResponse response)) {
            return message;
        }
        if (response.error() != null) {
            JSONRPCResponse.JSONRPCError error = response.error();
            return JSONRPCResponse.error(
                    response.id(),
                    new JSONRPCResponse.JSONRPCError(error.code(), "not logged", new Unread(error.message())));
        }
        return response.result() == null
                ? response
                : JSONRPCResponse.result(response.id(), new Unread(response.result()));
    }

    /** The message of an error that the session has handed on. */
    static String text(JSONRPCResponse.JSONRPCError error) {
        return error.data() instanceof Unread unread ? String.valueOf(unread.value) : error.message();
    }

    private boolean passes(JSONRPCMessage message) {
        if (message instanceof JSONRPCResponse response) {
            if (response.id() != null && awaited.remove(response.id())) {
                stray.set(0);
                return true;
            }
            LOG.debug("MCP server {}: an answer that nobody waits for is passed over", server);
        } else if (message instanceof JSONRPCNotification notification
                && McpSchema.METHOD_NOTIFICATION_TOOLS_LIST_CHANGED.equals(notification.method())) {
            listChanged.run();
        }
        if (stray.incrementAndGet() == MOST_STRAY) {
            broken.accept("it sent " + MOST_STRAY + " messages in a row that nobody waited for");
        }
        return message instanceof JSONRPCRequest && stray.get() < MOST_STRAY;
    }

    @Override
    public Mono<Void> sendMessage(JSONRPCMessage message) {
        if (!(message instanceof JSONRPCRequest request)) {
            return transport.sendMessage(message);
        }
        return Mono.deferContextual(context -> {
            context.<AtomicReference<Object>>getOrEmpty(ID).ifPresent(id -> id.set(request.id()));
            awaited.add(request.id());
            return transport.sendMessage(message);
        });
    }

    /** Waits for an answer no more, and says so to the server. A request that was not sent yet has no id. */
    void cancel(@Nullable Object id, String reason) {
        if (id != null && awaited.remove(id)) {
            JSONRPCResponse nothing =
                    JSONRPCResponse.error(id, new JSONRPCResponse.JSONRPCError(CANCELLED, "cancelled: " + reason));
            session.apply(Mono.just(nothing)).subscribe(ignored -> {}, error -> {});
            transport
                    .sendMessage(new JSONRPCNotification(
                            "notifications/cancelled", Map.of("requestId", id, "reason", reason)))
                    .subscribe(ignored -> {}, error -> LOG.debug("MCP server {}: not told of a cancellation", server));
        }
    }

    @Override
    public void setExceptionHandler(Consumer<Throwable> handler) {
        transport.setExceptionHandler(handler);
    }

    @Override
    public Mono<Void> closeGracefully() {
        return transport.closeGracefully();
    }

    @Override
    public <T> T unmarshalFrom(Object data, TypeRef<T> type) {
        return transport.unmarshalFrom(data instanceof Unread unread ? unread.value : data, type);
    }

    @Override
    public List<String> protocolVersions() {
        return transport.protocolVersions();
    }
}
