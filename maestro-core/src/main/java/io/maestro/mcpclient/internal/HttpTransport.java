package io.maestro.mcpclient.internal;

import io.maestro.internal.Threads;
import io.maestro.mcpclient.McpSource;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.common.McpTransportContext;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCNotification;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCRequest;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse;
import java.lang.reflect.Proxy;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Streamable HTTP by the SDK's transport, which reads an answer for as long as the server sends it. Here each exchange ends: a request
 * soon after its answer or when it is cancelled, and everything else but the stream of notifications after the limit for a start.
 */
final class HttpTransport implements McpClientTransport {
    /** A header that tells the HTTP client which request of MCP it sends. The server does not see it. */
    private static final String ID = "maestro-request";

    /** How long a server may take to end a stream after the answer. */
    private static final Duration GRACE = Duration.ofSeconds(1);

    /**
     * By the only setting that differs. They are never closed: one keeps a thread until it is collected, and servers come and go.
     */
    private static final Map<Duration, HttpClient> CLIENTS = new ConcurrentHashMap<>();

    /** By the id of the request: to be completed when the exchange is to end. There before the request is sent, since an answer is fast. */
    private final Map<String, CompletableFuture<Void>> exchanges = new ConcurrentHashMap<>();

    private final McpSource source;
    private final McpClientTransport transport;

    /** It follows no redirect, so that the headers go nowhere else. */
    HttpTransport(McpSource source, URI endpoint, McpJsonMapper json) {
        this.source = source;
        String path = endpoint.getRawPath().isEmpty() ? "/" : endpoint.getRawPath();
        this.transport = HttpClientStreamableHttpTransport.builder(endpoint.toString())
                .endpoint(endpoint.getRawQuery() == null ? path : path + "?" + endpoint.getRawQuery())
                .clientBuilder(clients())
                .jsonMapper(json)
                .connectTimeout(source.startLimit())
                .resumableStreams(false)
                .maxResponseSize(McpSession.LARGEST_MESSAGE)
                .httpRequestCustomizer((request, method, uri, body, context) -> {
                    source.headers().forEach(request::setHeader);
                    if (context.get(ID) instanceof String id) {
                        request.setHeader(ID, id);
                    }
                })
                .build();
    }

    /** The JDK's builder, whose clients are {@link Client}s around a shared one. */
    private HttpClient.Builder clients() {
        HttpClient.Builder builder = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1);
        return (HttpClient.Builder) Proxy.newProxyInstance(
                HttpTransport.class.getClassLoader(),
                new Class<?>[] {HttpClient.Builder.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("build")) {
                        return new Client(CLIENTS.computeIfAbsent(source.startLimit(), limit -> builder.build()));
                    }
                    method.invoke(builder, arguments);
                    return proxy;
                });
    }

    @Override
    public Mono<Void> connect(Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
        return transport.connect(messages -> handler.apply(messages).doOnNext(message -> {
            if (message instanceof JSONRPCResponse response) {
                endAfter(GRACE, exchanges.get(String.valueOf(response.id())));
            }
        }));
    }

    @Override
    public Mono<Void> sendMessage(JSONRPCMessage message) {
        if (message instanceof JSONRPCRequest request) {
            McpTransportContext id = McpTransportContext.create(Map.of(ID, String.valueOf(request.id())));
            return transport.sendMessage(message).contextWrite(context -> context.put(McpTransportContext.KEY, id));
        }
        if (message instanceof JSONRPCNotification notification
                && GuardedTransport.CANCELLATION.equals(notification.method())
                && notification.params() instanceof Map<?, ?> params) {
            CompletableFuture<Void> end = exchanges.get(String.valueOf(params.get("requestId")));
            if (end != null) {
                end.complete(null);
            }
        }
        return transport.sendMessage(message);
    }

    private static void endAfter(Duration time, @Nullable CompletableFuture<Void> end) {
        if (end != null) {
            CompletableFuture<Void> unused = Threads.after(time).thenRun(() -> end.complete(null));
        }
    }

    @Override
    public Mono<Void> closeGracefully() {
        return transport.closeGracefully().doFirst(() -> exchanges.values().forEach(end -> end.complete(null)));
    }

    @Override
    public <T> T unmarshalFrom(Object data, TypeRef<T> type) {
        return transport.unmarshalFrom(data, type);
    }

    @Override
    public void setExceptionHandler(Consumer<Throwable> handler) {
        transport.setExceptionHandler(handler);
    }

    @Override
    public List<String> protocolVersions() {
        return transport.protocolVersions();
    }

    /** Knows the exchanges that go on. */
    private final class Client extends HttpClient {
        private final HttpClient client;

        Client(HttpClient client) {
            this.client = client;
        }

        @Override
        public <T> CompletableFuture<HttpResponse<T>> sendAsync(
                HttpRequest request, HttpResponse.BodyHandler<T> handler) {
            HttpRequest sent = HttpRequest.newBuilder(request, (name, value) -> !name.equalsIgnoreCase(ID))
                    .build();
            CompletableFuture<Void> end = new CompletableFuture<>();
            Optional<String> id = request.headers().firstValue(ID);
            id.ifPresent(one -> exchanges.put(one, end));
            CompletableFuture<HttpResponse<T>> exchange = client.sendAsync(sent, handler);
            CompletableFuture<Void> unused = end.thenRun(() -> exchange.cancel(true));
            CompletableFuture<HttpResponse<T>> unusedToo =
                    exchange.whenComplete((response, failure) -> id.ifPresent(one -> exchanges.remove(one, end)));
            if (id.isEmpty() && !request.method().equals("GET")) {
                endAfter(source.startLimit(), end);
            }
            return exchange;
        }

        @Override
        public <T> CompletableFuture<HttpResponse<T>> sendAsync(
                HttpRequest request,
                HttpResponse.BodyHandler<T> handler,
                HttpResponse.@Nullable PushPromiseHandler<T> pushed) {
            return sendAsync(request, handler);
        }

        @Override
        public <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler) {
            throw new UnsupportedOperationException("the SDK sends requests without waiting");
        }

        @Override
        public Optional<CookieHandler> cookieHandler() {
            return client.cookieHandler();
        }

        @Override
        public Optional<Duration> connectTimeout() {
            return client.connectTimeout();
        }

        @Override
        public Redirect followRedirects() {
            return client.followRedirects();
        }

        @Override
        public Optional<ProxySelector> proxy() {
            return client.proxy();
        }

        @Override
        public SSLContext sslContext() {
            return client.sslContext();
        }

        @Override
        public SSLParameters sslParameters() {
            return client.sslParameters();
        }

        @Override
        public Optional<Authenticator> authenticator() {
            return client.authenticator();
        }

        @Override
        public Version version() {
            return client.version();
        }

        @Override
        public Optional<Executor> executor() {
            return client.executor();
        }
    }
}
