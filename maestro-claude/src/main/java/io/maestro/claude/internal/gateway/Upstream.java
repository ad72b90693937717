package io.maestro.claude.internal.gateway;

import io.maestro.internal.ApiKey;
import io.maestro.internal.RemoteServer;
import io.maestro.internal.RemoteServer.UnreachableException;
import io.maestro.wire.internal.HttpHead;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;

/** The real API, asked with the real key. */
final class Upstream {
    /** A feature that the header anthropic-beta asks for. */
    private static final String LONG_CONTEXT = "context-1m";

    private final String base;
    private final boolean plain;
    private final ApiKey key;
    private final HttpClient client;
    private final boolean own;
    private final RemoteServer server;

    private Upstream(URI base, ApiKey key, HttpClient client, boolean own) {
        String text = base.toString();
        this.base = text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
        this.plain = "http".equals(base.getScheme());
        this.key = key;
        this.client = client;
        this.own = own;
        this.server = new RemoteServer(
                "the API", "the base URL (models.anthropic.base_url or ANTHROPIC_BASE_URL)", key::removedFrom);
    }

    static Upstream with(URI base, ApiKey key, HttpClient client) {
        return new Upstream(base, key, client, false);
    }

    /** With a client of its own, which takes the proxies of the JVM. */
    static Upstream own(URI base, ApiKey key, Duration connectLimit, ExecutorService threads) {
        HttpClient client = HttpClient.newBuilder()
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(connectLimit)
                .executor(threads)
                .build();
        return new Upstream(base, key, client, true);
    }

    /** Why the API was not reached. */
    UnreachableException unreachable(Throwable failure, Duration limit) {
        return server.unreachable(URI.create(base), failure, limit, false);
    }

    ApiKey key() {
        return key;
    }

    /**
     * Makes a request, which whoever runs it sends, and whoever cancels it gives up. An answer to {@link HttpClient#sendAsync}
     * would pass through the common pool of the JVM, which a host may block.
     *
     * @throws IllegalArgumentException when a header or the path cannot be sent
     */
    FutureTask<HttpResponse<InputStream>> request(HttpHead head, AllowedModels models, BodyPublisher body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                URI.create(base + head.path() + (head.query() == null ? "" : "?" + head.query())));
        if (plain) {
            request.version(HttpClient.Version.HTTP_1_1);
        }
        for (Map.Entry<String, List<String>> header : head.fields().entrySet()) {
            if (HeaderRules.goesToApi(header.getKey())) {
                for (String value : header.getValue()) {
                    String sent = models.allowLongContext() ? value : withoutLongContext(value);
                    request.header(header.getKey(), sent);
                }
            }
        }
        // What is counted has to be read; and nothing of the client's own may stand beside the key.
        request.setHeader("accept-encoding", "identity");
        request.setHeader("x-api-key", key.secret());
        HttpRequest made = request.POST(body).build();
        return new FutureTask<>(() -> {
            HttpResponse<InputStream> response = client.send(made, BodyHandlers.ofInputStream());
            if (Thread.currentThread().isInterrupted()) {
                // Given up at the last moment: nobody gets it.
                response.body().close();
            }
            return response;
        });
    }

    private static String withoutLongContext(String value) {
        return value.contains(LONG_CONTEXT)
                ? Arrays.stream(value.split(",", -1))
                        .filter(entry -> !entry.strip().startsWith(LONG_CONTEXT))
                        .collect(Collectors.joining(","))
                : value;
    }

    /** Ends a client of its own where the JVM can (since 21); before, it ends when nobody has it any more. */
    void close() {
        if (!own) {
            return;
        }
        try {
            HttpClient.class.getMethod("shutdownNow").invoke(client);
        } catch (NoSuchMethodException e) {
            return; // Java before 21.
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException("the HTTP client does not end: " + e, e);
        }
    }
}
