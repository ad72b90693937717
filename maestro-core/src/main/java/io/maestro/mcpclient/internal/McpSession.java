package io.maestro.mcpclient.internal;

import io.maestro.internal.RemoteServer;
import io.maestro.internal.Texts;
import io.maestro.internal.Threads;
import io.maestro.internal.Uninterrupted;
import io.maestro.secrets.Redactor;
import io.modelcontextprotocol.client.McpAsyncClient;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpClientSession;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpTransportSessionNotFoundException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One life of a connection, over the session of the official SDK. Results stay the trees that were sent: the SDK's types would
 * drop what they do not know, and refuse a whole answer for one part of it. Safe for use by several threads.
 */
final class McpSession implements AutoCloseable {
    /** How many bytes a message of a server may have. */
    static final int LARGEST_MESSAGE = 8 * 1024 * 1024;

    private static final int MOST_PAGES = 100;

    /** How much a list of tools may have in all its pages: characters, and for each value as many more. */
    private static final int LARGEST_LIST = LARGEST_MESSAGE;

    private static final int VALUE = 32;

    /** The limits are the callers' own. */
    private static final Duration NEVER = Duration.ofDays(365);

    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(3);

    private static final TypeRef<Map<String, Object>> TREE = new TypeRef<>() {};

    private final AtomicReference<@Nullable String> ending = new AtomicReference<>();
    private final AtomicBoolean stale = new AtomicBoolean();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final GuardedTransport transport;
    private final Redactor redactor;

    /** Null while it is being made, when the transport may have ended already. */
    private volatile @Nullable McpClientSession session;

    private volatile String version;

    private McpSession(String server, Function<Consumer<String>, McpClientTransport> transports, Redactor redactor) {
        this.redactor = redactor;
        this.transport = new GuardedTransport(transports.apply(this::end), server, () -> stale.set(true), this::end);
        List<String> versions = transport.protocolVersions();
        this.version = versions.get(versions.size() - 1);
        this.session = new McpClientSession(NEVER, transport, Map.of(), Map.of(), connecting -> connecting);
    }

    /**
     * Connects, and agrees on a version.
     *
     * @param server its name
     * @param transports makes the transport; gets what is to be called when it is broken
     * @param redactor takes secrets out of what the server says of failures
     * @param limit how long the server may take
     */
    static McpSession open(
            String server, Function<Consumer<String>, McpClientTransport> transports, Redactor redactor, Duration limit)
            throws McpFailure, InterruptedException {
        McpSession opened = new McpSession(server, transports, redactor);
        boolean ready = false;
        try {
            opened.initialize(limit);
            ready = true;
            return opened;
        } finally {
            if (!ready) {
                opened.close();
            }
        }
    }

    private void initialize(Duration limit) throws McpFailure, InterruptedException {
        Map<String, Object> begun = request(
                McpSchema.METHOD_INITIALIZE,
                Map.of(
                        "protocolVersion",
                        version,
                        "capabilities",
                        Map.of(),
                        "clientInfo",
                        Map.of("name", "maestro", "version", "0.1.0")),
                limit);
        if (!(begun.get("protocolVersion") instanceof String agreed)
                || !transport.protocolVersions().contains(agreed)) {
            throw McpFailure.broken("it speaks the version "
                    + clean(String.valueOf(begun.get("protocolVersion")), 40) + " of the protocol; known are "
                    + transport.protocolVersions());
        }
        if (!(begun.get("capabilities") instanceof Map<?, ?> capabilities) || !capabilities.containsKey("tools")) {
            throw McpFailure.broken("it says that it has no tools");
        }
        version = agreed;
        tellInitialized(limit);
    }

    /** A request that overtakes this, as on a connection of its own, may be refused. */
    private void tellInitialized(Duration limit) throws McpFailure, InterruptedException {
        try {
            session()
                    .sendNotification(McpSchema.METHOD_NOTIFICATION_INITIALIZED, null)
                    .contextWrite(context -> context.put(McpAsyncClient.NEGOTIATED_PROTOCOL_VERSION, version))
                    .toFuture()
                    .get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw McpFailure.broken("it has not taken a notification within " + Texts.seconds(limit));
        } catch (ExecutionException e) {
            throw failure(McpSchema.METHOD_NOTIFICATION_INITIALIZED, e.getCause() == null ? e : e.getCause());
        }
    }

    /** All tools that the server has, as it describes them. A list that begins again, or has too many pages, ends there. */
    List<Map<?, ?>> tools(Duration limit) throws McpFailure, InterruptedException {
        long until = System.nanoTime() + limit.toNanos();
        stale.set(false);
        List<Map<?, ?>> all = new ArrayList<>();
        Set<String> cursors = new HashSet<>();
        Map<String, Object> params = Map.of();
        long size = 0;
        boolean whole = false;
        try {
            while (!whole) {
                Duration left = Duration.ofNanos(Math.max(1, until - System.nanoTime()));
                Map<String, Object> answer = request(McpSchema.METHOD_TOOLS_LIST, params, left);
                if (!(answer.get("tools") instanceof List<?> tools)) {
                    throw McpFailure.broken("its list of tools is none");
                }
                size += size(answer);
                if (size > LARGEST_LIST) {
                    throw McpFailure.broken("its list of tools is larger than " + LARGEST_LIST + " bytes in all");
                }
                for (Object tool : tools) {
                    all.add(tool instanceof Map<?, ?> map ? map : Map.of());
                }
                String cursor = answer.get("nextCursor") instanceof String text ? text : "";
                whole = cursor.isBlank() || !cursors.add(cursor) || cursors.size() == MOST_PAGES;
                params = Map.of("cursor", cursor);
            }
            return all;
        } finally {
            if (!whole) {
                stale.set(true);
            }
        }
    }

    private static long size(@Nullable Object value) {
        long size = VALUE;
        if (value instanceof String text) {
            size += text.length();
        } else if (value instanceof List<?> list) {
            for (Object element : list) {
                size += size(element);
            }
        } else if (value instanceof Map<?, ?> map) {
            for (Map.Entry<?, ?> member : map.entrySet()) {
                size += String.valueOf(member.getKey()).length() + size(member.getValue());
            }
        }
        return size;
    }

    /** Calls a tool; gives the result as it was sent. */
    Map<String, Object> call(String tool, Map<String, Object> arguments, Duration limit)
            throws McpFailure, InterruptedException {
        return request(McpSchema.METHOD_TOOLS_CALL, Map.of("name", tool, "arguments", arguments), limit);
    }

    private McpClientSession session() {
        return Objects.requireNonNull(session);
    }

    private Map<String, Object> request(String method, Map<String, Object> params, Duration limit)
            throws McpFailure, InterruptedException {
        AtomicReference<@Nullable Object> id = new AtomicReference<>();
        CompletableFuture<Map<String, Object>> answer = session()
                .sendRequest(method, params, TREE)
                .contextWrite(context ->
                        context.put(GuardedTransport.ID, id).put(McpAsyncClient.NEGOTIATED_PROTOCOL_VERSION, version))
                .toFuture();
        String reason = ending.get();
        if (reason != null) {
            throw McpFailure.broken(reason); // It may have ended before the session knew of the request.
        }
        try {
            Map<String, Object> result = answer.get(limit.toNanos(), TimeUnit.NANOSECONDS);
            if (result == null) {
                throw McpFailure.broken("it answered " + method + " with nothing");
            }
            return result;
        } catch (TimeoutException e) {
            transport.cancel(id.get(), "its time is up");
            throw McpFailure.refused("it has not answered within " + Texts.seconds(limit) + "; it was told to stop");
        } catch (InterruptedException e) {
            transport.cancel(id.get(), "nobody waits for it any more");
            throw e;
        } catch (ExecutionException e) {
            throw failure(method, e.getCause() == null ? e : e.getCause());
        }
    }

    private McpFailure failure(String method, Throwable cause) {
        if (cause instanceof McpError error && error.getJsonRpcError() != null) {
            return McpFailure.refused(
                    "it refuses " + method + ": " + clean(GuardedTransport.text(error.getJsonRpcError()), 500));
        }
        for (Throwable one = cause; one != null; one = one.getCause()) {
            if (one instanceof McpTransportSessionNotFoundException) {
                return McpFailure.forgotten();
            }
        }
        String reason = ending.get();
        String said = RemoteServer.noConnection(cause)
                .map(words -> "it cannot be reached: " + words)
                .orElseGet(() -> {
                    String message = cause.getMessage();
                    return message == null || message.isBlank() ? "the connection failed" : message;
                });
        return McpFailure.broken(reason != null ? reason : clean(said, 500));
    }

    /** Redacts before it cuts: a secret that is cut in two would not be found. */
    private String clean(String text, int most) {
        return Texts.clip(redactor.redact(text), most);
    }

    /** Called by whichever thread sees it first: that must not wait for a program to end. */
    private void end(String reason) {
        if (ending.compareAndSet(null, reason)) {
            Threads.platformFactory("maestro-mcp-end").newThread(this::close).start();
        }
    }

    boolean isOpen() {
        return ending.get() == null;
    }

    /** Whether the server has said, since its tools were listed, that it has others. */
    boolean isStale() {
        return stale.get();
    }

    /** Waits until nothing is left of a program. */
    @Override
    public void close() {
        ending.compareAndSet(null, "it was closed");
        if (closing.compareAndSet(false, true)) {
            McpClientSession made = session;
            if (made != null) {
                made.close();
            }
        }
        boolean unused = Uninterrupted.isEnded(transport.closeGracefully().toFuture(), CLOSE_LIMIT);
    }
}
