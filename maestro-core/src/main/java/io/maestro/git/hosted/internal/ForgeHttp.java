package io.maestro.git.hosted.internal;

import io.maestro.git.GitException;
import io.maestro.git.hosted.internal.ApiException.ApiFault;
import io.maestro.internal.ApiKey;
import io.maestro.internal.ArrivingBody;
import io.maestro.internal.BoundedStream;
import io.maestro.internal.RemoteServer;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Sends single requests, bounded in time and size, and follows no redirect. The only class that has the token: it stands in the
 * header of requests to the API, and is taken out of all that the server says. Safe for use by several threads.
 */
public final class ForgeHttp {
    /** A server sends this for lists of a hundred requests with long texts; more is not believed. */
    public static final int MAX_BYTES = 8 << 20;

    private static final int SHOWN = 500;

    private final HttpClient client;
    private final String host;
    private final TokenSource tokens;
    private final String advice;
    private final Duration limit;
    private final RemoteServer server;
    private volatile @Nullable ApiKey last;

    /**
     * @param host whose token is sent
     * @param advice what to do where there is none
     * @param setting what holds the server's address
     * @param limit how long an answer may take
     */
    ForgeHttp(HttpClient client, String host, TokenSource tokens, String advice, String setting, Duration limit) {
        this.client = client;
        this.host = host;
        this.tokens = tokens;
        this.advice = advice;
        this.limit = limit;
        this.server = new RemoteServer("the forge", setting, this::line);
    }

    /** All of an answer, whose body has so many bytes; {@code whole} is false when there was more than was wanted. */
    record ForgeReply(int status, HttpHeaders headers, String body, int length, boolean whole) {
        String header(String name) {
            return headers.firstValue(name).orElse("");
        }
    }

    /**
     * Sends one request once.
     *
     * @param headers beside those of every request
     * @param authorized whether the token goes along: never to another server than the API's
     * @param atMost with how many bytes of the body to be content; 0 to take all, and nothing when that is more than
     *     {@link #MAX_BYTES}
     * @throws ApiException when no answer came, or a longer one
     */
    ForgeReply send(
            String method,
            URI uri,
            byte @Nullable [] body,
            Map<String, String> headers,
            boolean authorized,
            int atMost) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri)
                .method(
                        method,
                        body == null
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofByteArray(body))
                .header("User-Agent", "maestro");
        headers.forEach(request::header);
        if (body != null) {
            request.header("Content-Type", "application/json; charset=utf-8");
        }
        if (authorized) {
            request.header("Authorization", "Bearer " + token().secret());
        }
        Duration wait = server.hasAnswered() || limit.compareTo(RemoteServer.FIRST_ANSWER) < 0
                ? limit
                : RemoteServer.FIRST_ANSWER;
        ArrivingBody arriving = new ArrivingBody(wait, wait);
        try {
            HttpResponse<ArrivingBody> response = arriving.send(client, request.build());
            server.answered();
            byte[] read;
            boolean whole = true;
            if (atMost > 0) {
                read = response.body().readNBytes(atMost);
                whole = read.length < atMost;
            } else {
                read = new BoundedStream(response.body(), MAX_BYTES).readAllBytes();
                arriving.finish();
            }
            return new ForgeReply(
                    response.statusCode(),
                    response.headers(),
                    new String(read, StandardCharsets.UTF_8),
                    read.length,
                    whole);
        } catch (InterruptedException | InterruptedIOException e) {
            Thread.currentThread().interrupt();
            throw new GitException(method + " " + shown(uri) + " was cancelled", e);
        } catch (BoundedStream.TooLargeException e) {
            throw ApiException.tooLong(
                    method + " " + shown(uri) + ": the answer is longer than " + MAX_BYTES + " bytes");
        } catch (IOException e) {
            throw ApiException.lost(method + " " + uri.getRawPath(), server.unreachable(uri, e, wait, true));
        } finally {
            // Without effect when all is done; otherwise it closes the connection.
            arriving.close();
        }
    }

    /** What holds the server's address. */
    String setting() {
        return server.setting();
    }

    private ApiKey token() {
        String found;
        try {
            found = tokens.token(host).orElse("");
        } catch (ApiException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new ApiException(
                    ApiFault.DENIED,
                    0,
                    "no token for " + host + " can be had: " + line(String.valueOf(e.getMessage())),
                    null);
        }
        if (found.isBlank()) {
            throw new ApiException(
                    ApiFault.DENIED, 0, "there is no token for " + host + ": " + advice + ", or call token(…)", null);
        }
        ApiKey known = last;
        if (known == null || !known.secret().equals(found.strip())) {
            try {
                known = new ApiKey(found);
            } catch (IllegalArgumentException e) {
                throw new ApiException(
                        ApiFault.DENIED,
                        0,
                        "the token for " + host + " is none: it has characters that no token has; copy it again",
                        null);
            }
            last = known;
        }
        return known;
    }

    /** Without the query, which may hold a signature. */
    static String shown(URI uri) {
        return uri.getScheme() + "://" + uri.getAuthority() + uri.getRawPath();
    }

    /** What came from outside, fit for one line of a message. */
    String line(String text) {
        ApiKey known = last;
        String safe = known == null ? text : known.removedFrom(text);
        String start = safe.length() <= SHOWN ? safe : safe.substring(0, SHOWN) + "…";
        return start.replaceAll("[\\p{Cntrl}\\s]+", " ").strip();
    }

    /** What came from outside, without the token should the server have sent it back. */
    String safe(String all) {
        ApiKey known = last;
        return known == null ? all : known.removedFrom(all);
    }
}
