package io.maestro.git.github.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.git.GitException;
import io.maestro.git.github.internal.ApiException.Kind;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The API of one server. Reads are tried a few times and asked conditionally; a change is sent once, and when its answer is
 * lost, that is what the exception says. Safe for use by several threads.
 */
final class GitHubApi {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private static final int PER_PAGE = 100;
    private static final int MOST_PAGES = 20;
    private static final int TRIES = 3;
    private static final int REDIRECTS = 3;
    private static final int KEPT = 128;
    private static final int LARGEST_KEPT = 256 << 10;

    private final GitHubHttp http;
    private final URI base;
    private final Timing timing;
    private final Map<URI, Known> known = Collections.synchronizedMap(new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<URI, Known> eldest) {
            return size() > KEPT;
        }
    });

    private record Known(String tag, JsonNode json) {}

    /** @param base without a slash at its end */
    GitHubApi(GitHubHttp http, URI base, Timing timing) {
        this.http = http;
        this.base = base;
        this.timing = timing;
    }

    static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    /** Reads; what has not changed since the last time costs nothing of the limit. */
    JsonNode get(String path) {
        return retried(() -> read(uri(path)));
    }

    /** Reads; empty when there is no such thing. */
    Optional<JsonNode> find(String path) {
        try {
            return Optional.of(get(path));
        } catch (ApiException e) {
            if (e.status() == 404) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /**
     * Reads all pages of a list.
     *
     * @param path may have a query
     * @param member where the list is in each page; null when the page is the list
     */
    List<JsonNode> list(String path, @Nullable String member) {
        List<JsonNode> all = new ArrayList<>();
        for (int page = 1; page <= MOST_PAGES; page++) {
            JsonNode answer = get(path + (path.contains("?") ? "&" : "?") + "per_page=" + PER_PAGE + "&page=" + page);
            JsonNode items = member == null ? answer : answer.path(member);
            items.forEach(all::add);
            if (items.size() < PER_PAGE) {
                return all;
            }
        }
        throw new ApiException(Kind.REFUSED, 0, path + " has more than " + MOST_PAGES * PER_PAGE + " entries", null);
    }

    /** Changes something: sent once. */
    JsonNode change(String method, String path, ObjectNode body) {
        return json(method, uri(path), http.send(method, uri(path), bytes(body), accept("json"), true, 0));
    }

    /** Asks by GraphQL. */
    JsonNode query(String query, ObjectNode variables) {
        return retried(() -> graphQl(query, variables));
    }

    /** Changes something by GraphQL: sent once. */
    JsonNode graphQl(String query, ObjectNode variables) {
        ObjectNode body = object().put("query", query);
        body.set("variables", variables);
        URI uri = graphQlUri(base);
        GitHubHttp.Reply reply = http.send("POST", uri, bytes(body), accept("json"), true, 0);
        JsonNode json = json("POST", uri, reply);
        JsonNode error = json.path("errors").path(0);
        if (error.isObject()) {
            String message = "GraphQL: " + http.line(error.path("message").asText());
            throw switch (error.path("type").asText()) {
                case "RATE_LIMITED" -> new ApiException(Kind.LIMITED, 429, message, RateLimit.after(reply.headers()));
                case "FORBIDDEN", "NOT_FOUND", "INSUFFICIENT_SCOPES" ->
                    new ApiException(Kind.DENIED, 403, message, null);
                case "" -> new ApiException(Kind.LOST, 0, message, null);
                default -> new ApiException(Kind.REFUSED, 422, message, null);
            };
        }
        return json.path("data");
    }

    /** The end or the beginning of a text that lies on another server, which gets no token; empty when there is none. */
    Optional<String> text(String path, int atMost) {
        URI uri = uri(path);
        GitHubHttp.Reply reply = http.send("GET", uri, null, accept("json"), true, atMost);
        if (reply.status() / 100 == 3) {
            URI there = target(uri, reply);
            if (there == null || !"https".equals(there.getScheme()) && !sameServer(there, base)) {
                return Optional.empty();
            }
            reply = http.send("GET", there, null, Map.of(), false, atMost);
        }
        return reply.status() == 200 ? Optional.of(http.safe(reply.body())) : Optional.empty();
    }

    /** The address of GraphQL; a server of one's own has it beside the other API. */
    static URI graphQlUri(URI base) {
        String text = base.toString();
        return URI.create(
                text.endsWith("/api/v3") ? text.substring(0, text.length() - 2) + "graphql" : text + "/graphql");
    }

    private JsonNode read(URI uri) {
        Known before = known.get(uri);
        Map<String, String> headers = new LinkedHashMap<>(accept("json"));
        if (before != null) {
            headers.put("If-None-Match", before.tag());
        }
        GitHubHttp.Reply reply = http.send("GET", uri, null, headers, true, 0);
        for (int i = 0; i < REDIRECTS && reply.status() / 100 == 3 && reply.status() != 304; i++) {
            URI there = target(uri, reply);
            if (there == null || !sameServer(there, base)) {
                break;
            }
            reply = http.send("GET", there, null, accept("json"), true, 0);
        }
        if (reply.status() == 304 && before != null) {
            return before.json();
        }
        JsonNode json = json("GET", uri, reply);
        String tag = reply.header("etag");
        if (!tag.isEmpty() && reply.body().length() <= LARGEST_KEPT) {
            known.put(uri, new Known(tag, json));
        }
        return json;
    }

    /** Where a redirect leads; null when that is nowhere. */
    private static @Nullable URI target(URI from, GitHubHttp.Reply reply) {
        try {
            URI there = from.resolve(reply.header("location"));
            return there.getHost() == null ? null : there;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** The name of a branch as a part of a path, which may hold almost any character. */
    static String encoded(String branch) {
        return URLEncoder.encode(branch, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace("%2F", "/");
    }

    private static boolean sameServer(URI one, URI other) {
        return String.valueOf(one.getScheme()).equals(other.getScheme())
                && String.valueOf(one.getAuthority()).equals(other.getAuthority());
    }

    /** A request that changes nothing. */
    private interface Read {
        JsonNode run();
    }

    private JsonNode retried(Read read) {
        for (int tries = 1; ; tries++) {
            try {
                return read.run();
            } catch (ApiException e) {
                if (e.kind() != Kind.LOST || tries == TRIES) {
                    throw e;
                }
                pause(tries - 1);
            }
        }
    }

    /** Waits before something is looked at again. */
    void pause(int looks) {
        try {
            TimeUnit.NANOSECONDS.sleep(timing.wait(looks).toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new GitException("cancelled while waiting for " + base, e);
        }
    }

    private JsonNode json(String method, URI uri, GitHubHttp.Reply reply) {
        if (reply.status() / 100 != 2) {
            throw ApiFailure.of(http, method, uri, reply);
        }
        if (reply.body().isEmpty()) {
            return object();
        }
        try {
            return MAPPER.readTree(reply.body());
        } catch (JsonProcessingException e) {
            throw new ApiException(
                    Kind.LOST, 0, method + " " + GitHubHttp.shown(uri) + ": the answer is no JSON", null);
        }
    }

    private static Map<String, String> accept(String type) {
        return Map.of("Accept", "application/vnd.github+" + type, "X-GitHub-Api-Version", "2022-11-28");
    }

    private URI uri(String path) {
        return URI.create(base + path);
    }

    private static byte[] bytes(ObjectNode body) {
        return body.toString().getBytes(StandardCharsets.UTF_8);
    }
}
