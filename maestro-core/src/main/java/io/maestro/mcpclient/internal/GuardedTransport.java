package io.maestro.mcpclient.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.maestro.internal.Texts;
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
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * Stands between a transport and the SDK's session, and lets through only answers that are waited for, each once. It answers requests
 * of the server itself. The session would write a line into the log for each stray message and a stack trace for each answer that
 * can't be sent, and keep what it has for an answer that never comes. It logs what it gets, too, so that it gets no text of the
 * server's to read.
 */
final class GuardedTransport implements McpClientTransport {
    /** In the context of a request: gets its id. */
    static final String ID = "maestro.request";

    static final String CANCELLATION = "notifications/cancelled";

    /** In the context of what the SDK does: get errors of which Reactor may tell nobody, or the log only, with all that was sent. */
    private static final String FAILED = "reactor.onOperatorError.local";

    private static final String DROPPED = "reactor.onErrorDropped.local";

    /** So many answers to requests of the server are on their way at a time; further requests get none. */
    private static final int MOST_ANSWERS = 16;

    /** So many messages in a row that nobody waits for are an attack or a fault. */
    private static final int MOST_STRAY = 10_000;

    /** In characters; of an answer nothing else is the server's to choose. */
    private static final int LONGEST_ID = 200;

    private static final int CANCELLED = -32_800;

    private static final Logger LOG = LoggerFactory.getLogger(GuardedTransport.class);

    private final McpClientTransport transport;
    private final String server;
    private final Runnable listChanged;
    private final Consumer<String> broken;
    private final Set<Object> awaited = ConcurrentHashMap.newKeySet();
    private final AtomicInteger stray = new AtomicInteger();
    private final Semaphore answers = new Semaphore(MOST_ANSWERS);
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
        if (message instanceof JSONRPCRequest request && stray.get() < MOST_STRAY) {
            answer(request);
        }
        return false;
    }

    private void answer(JSONRPCRequest request) {
        if (isPlain(request.id()) && answers.tryAcquire()) {
            JSONRPCResponse answer = McpSchema.METHOD_PING.equals(request.method())
                    ? JSONRPCResponse.result(request.id(), Map.of())
                    : JSONRPCResponse.error(
                            request.id(),
                            new JSONRPCResponse.JSONRPCError(
                                    McpSchema.ErrorCodes.METHOD_NOT_FOUND, "this client does not do that"));
            send(answer, error -> {})
                    .doFinally(end -> answers.release())
                    .subscribe(
                            ignored -> {}, error -> LOG.debug("MCP server {}: its request was not answered", server));
        }
    }

    private static boolean isPlain(Object id) {
        return (id instanceof String || id instanceof Number) && id.toString().length() <= LONGEST_ID;
    }

    private Mono<Void> send(JSONRPCMessage message, Consumer<Throwable> untold) {
        BiFunction<Throwable, Object, Throwable> failed = (error, data) -> {
            untold.accept(error);
            return error;
        };
        return transport
                .sendMessage(message)
                .contextWrite(context -> context.put(FAILED, failed).put(DROPPED, untold));
    }

    @Override
    public Mono<Void> sendMessage(JSONRPCMessage message) {
        if (!(message instanceof JSONRPCRequest request)) {
            return send(message, error -> {});
        }
        return Mono.deferContextual(context -> {
            context.<AtomicReference<Object>>getOrEmpty(ID).ifPresent(id -> id.set(request.id()));
            awaited.add(request.id());
            // An error of what nobody waits for any more is nobody's.
            return send(message, error -> unread(request.id(), error))
                    .onErrorComplete(error -> !awaited.contains(request.id()));
        });
    }

    /** The answer was there, and the SDK could not read it. Other errors are of the stream of notifications, or told as usual. */
    private void unread(Object id, Throwable error) {
        Throwable cause = error.getCause() == null ? error : error.getCause();
        if (awaited.contains(id)
                && (cause instanceof JsonProcessingException || cause instanceof IllegalArgumentException)) {
            broken.accept("it sent an answer that can't be read: " + Texts.clip(Texts.describe(cause), 300));
        }
    }

    /** Waits for an answer no more, and says so to the server. A request that was not sent yet has no id. */
    void cancel(@Nullable Object id, String reason) {
        if (id != null && awaited.remove(id)) {
            JSONRPCResponse nothing =
                    JSONRPCResponse.error(id, new JSONRPCResponse.JSONRPCError(CANCELLED, "cancelled: " + reason));
            session.apply(Mono.just(nothing)).subscribe(ignored -> {}, error -> {});
            sendMessage(new JSONRPCNotification(CANCELLATION, Map.of("requestId", id, "reason", reason)))
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
