package io.maestro.git.hosted.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.git.GitException;
import io.maestro.git.hosted.internal.ApiException.ApiFault;
import io.maestro.internal.RemoteServer;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The API of one server. Reads are tried a few times and asked conditionally; a change is sent once, and when its answer is
 * lost, that is what the exception says. Safe for use by several threads.
 */
public final class ForgeApi {
    private static final Logger LOG = LoggerFactory.getLogger(ForgeApi.class);

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private static final int MOST_ENTRIES = 2000;
    private static final int TRIES = 3;
    private static final int REDIRECTS = 3;
    private static final int KEPT = 128;
    /** How many bytes are read of an answer of which only the head matters. */
    private static final int HEAD = 1 << 10;

    private static final int LARGEST_KEPT = 256 << 10;

    private final ForgeHttp http;
    private final URI base;
    private final Map<String, String> headers;
    private final String pageSize;
    private final String rights;
    private final Timing timing;
    private volatile boolean understood;
    private final Map<URI, KeptAnswer> known = Collections.synchronizedMap(new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<URI, KeptAnswer> eldest) {
            return size() > KEPT;
        }
    });

    private final Set<String> cut = Collections.newSetFromMap(Collections.synchronizedMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > KEPT;
        }
    }));

    /** @param base without a slash at its end */
    ForgeApi(ForgeHttp http, URI base, Product product, Timing timing) {
        this.http = http;
        this.base = base;
        this.headers = product.headers();
        this.pageSize = product.pageSize();
        this.rights = product.rights();
        this.timing = timing;
    }

    /**
     * Begins a body.
     *
     * @return an empty object
     */
    public static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    /**
     * Where the API is.
     *
     * @return without a slash at its end
     */
    public URI base() {
        return base;
    }

    /**
     * Reads; what has not changed since the last time costs nothing of the limit.
     *
     * @param path behind the base
     * @return the answer
     */
    public JsonNode get(String path) {
        return retried(() -> read(uri(path)).json());
    }

    /**
     * Reads.
     *
     * @param path behind the base
     * @return empty when there is no such thing
     */
    public Optional<JsonNode> find(String path) {
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
     * Reads all pages of a list that only those can make long who may write to the repository.
     *
     * @param path may have a query
     * @param member where the list is in each page; null when the page is the list
     * @return all items
     */
    public List<JsonNode> list(String path, @Nullable String member) {
        Pages pages = new Pages(this, path, member, MOST_ENTRIES, Pages.ListPart.WHOLE).read();
        if (pages.isCut()) {
            // One that nobody has looked at may stand in the way.
            throw new ApiException(
                    ApiFault.DENIED,
                    0,
                    path + " has more than " + pages.items().size() + " entries, too many to look at; merge it by hand",
                    null);
        }
        return pages.items();
    }

    /**
     * Reads a list that strangers can make long, and which has its newest entries at its end.
     *
     * @param path may have a query
     * @return all items; of a longer list the first and the newest, without those that are too long by themselves
     */
    public Listed<JsonNode> latest(String path) {
        Pages pages = new Pages(this, path, null, MOST_ENTRIES, Pages.ListPart.LATEST).read();
        if (pages.isCut()) {
            tellCut(path);
        }
        return new Listed<>(pages.items(), !pages.isCut());
    }

    /**
     * Says once that a list is not read as a whole.
     *
     * @param path which
     */
    public void tellCut(String path) {
        if (cut.add(path)) {
            LOG.warn("{} is too long to be read as a whole: what is not read decides nothing, and people merge", path);
        }
    }

    /**
     * Reads the first pages of a list that strangers can make long.
     *
     * @param path may have a query
     * @param most how many items are enough
     * @return those that come first, without those that are too long by themselves
     */
    public List<JsonNode> newest(String path, int most) {
        return new Pages(this, path, null, most, Pages.ListPart.FIRST).read().items();
    }

    /** One page of a list; the first one is 1. */
    KeptAnswer page(String path, int size, int page) {
        URI uri = pageUri(path, size, page);
        return retried(() -> read(uri));
    }

    /** Asks how long a list is, as pages of one entry; no entry is read, however long it is. */
    KeptAnswer count(String path) {
        URI uri = pageUri(path, 1, 1);
        return retried(() -> {
            ForgeHttp.ForgeReply reply = followed(uri, headers, HEAD);
            if (reply.status() / 100 != 2) {
                throw ApiFailure.of(http, rights, "GET", uri, reply);
            }
            return KeptAnswer.of(reply, object());
        });
    }

    private URI pageUri(String path, int size, int page) {
        return uri(path + (path.contains("?") ? "&" : "?") + pageSize + "=" + size + "&page=" + page);
    }

    /**
     * Changes something: sent once.
     *
     * @param method of HTTP
     * @param path behind the base
     * @param body what is sent
     * @return the answer
     */
    public JsonNode change(String method, String path, ObjectNode body) {
        return json(method, uri(path), http.send(method, uri(path), bytes(body), headers, true, 0));
    }

    /**
     * An answer with what stands in its head.
     *
     * @param json what it says
     * @param headers its head
     */
    public record ApiAnswer(JsonNode json, HttpHeaders headers) {}

    /**
     * Sends something to another address of the same server, once.
     *
     * @param uri where to
     * @param body what
     * @return the answer
     */
    public ApiAnswer post(URI uri, ObjectNode body) {
        if (!sameServer(uri, base)) {
            throw new IllegalArgumentException(uri + " is not on the server of " + base);
        }
        ForgeHttp.ForgeReply reply = http.send("POST", uri, bytes(body), headers, true, 0);
        return new ApiAnswer(json("POST", uri, reply), reply.headers());
    }

    /**
     * Asks again what changes nothing, when the answer was lost.
     *
     * @param read asks once
     * @param <T> what comes of it
     * @return the answer
     */
    public <T> T retried(Supplier<T> read) {
        for (int tries = 1; ; tries++) {
            try {
                return read.get();
            } catch (ApiException e) {
                if (e.kind() != ApiFault.LOST || tries == TRIES || RemoteServer.isFirstContact(e)) {
                    throw e;
                }
                pause(tries - 1);
            }
        }
    }

    /**
     * A text, which may lie on another server; that gets no token.
     *
     * @param path behind the base
     * @param atMost how many bytes of it
     * @return empty when there is none
     */
    public Optional<String> text(String path, int atMost) {
        URI uri = uri(path);
        ForgeHttp.ForgeReply reply = http.send("GET", uri, null, headers, true, atMost);
        if (reply.status() / 100 == 3) {
            URI there = target(uri, reply);
            if (there == null || !"https".equals(there.getScheme()) && !sameServer(there, base)) {
                return Optional.empty();
            }
            reply = http.send("GET", there, null, Map.of(), false, atMost);
        }
        return reply.status() == 200 ? Optional.of(http.safe(reply.body())) : Optional.empty();
    }

    private KeptAnswer read(URI uri) {
        KeptAnswer before = known.get(uri);
        Map<String, String> conditional = new LinkedHashMap<>(headers);
        if (before != null) {
            conditional.put("If-None-Match", before.tag());
        }
        ForgeHttp.ForgeReply reply = followed(uri, conditional, 0);
        if (reply.status() == 304 && before != null) {
            return before;
        }
        KeptAnswer read = KeptAnswer.of(reply, json("GET", uri, reply));
        if (!read.tag().isEmpty() && reply.body().length() <= LARGEST_KEPT) {
            known.put(uri, read);
        }
        return read;
    }

    private ForgeHttp.ForgeReply followed(URI uri, Map<String, String> conditional, int atMost) {
        ForgeHttp.ForgeReply reply = http.send("GET", uri, null, conditional, true, atMost);
        for (int i = 0; i < REDIRECTS && reply.status() / 100 == 3 && reply.status() != 304; i++) {
            URI there = target(uri, reply);
            if (there == null || !sameServer(there, base)) {
                break;
            }
            reply = http.send("GET", there, null, headers, true, atMost);
        }
        return reply;
    }

    /** Where a redirect leads; null when that is nowhere. */
    private static @Nullable URI target(URI from, ForgeHttp.ForgeReply reply) {
        try {
            URI there = from.resolve(reply.header("location"));
            return there.getHost() == null ? null : there;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /**
     * The name of a branch as a part of a path, which may hold almost any character.
     *
     * @param branch the name
     * @return with its slashes
     */
    public static String encoded(String branch) {
        return encodedWhole(branch).replace("%2F", "/");
    }

    /**
     * A text as one part of a path, or as a value of a query.
     *
     * @param text any
     * @return without slashes
     */
    public static String encodedWhole(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static boolean sameServer(URI one, URI other) {
        return String.valueOf(one.getScheme()).equals(other.getScheme())
                && String.valueOf(one.getAuthority()).equals(other.getAuthority());
    }

    /**
     * What came from outside, fit for one line of a message.
     *
     * @param text may hold anything
     * @return without the token and cut
     */
    public String line(String text) {
        return http.line(text);
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

    private JsonNode json(String method, URI uri, ForgeHttp.ForgeReply reply) {
        if (reply.status() / 100 != 2) {
            throw ApiFailure.of(http, rights, method, uri, reply);
        }
        if (reply.body().isEmpty()) {
            return object();
        }
        try {
            JsonNode json = MAPPER.readTree(reply.body());
            understood = true;
            return json;
        } catch (JsonProcessingException e) {
            String what = method + " " + ForgeHttp.shown(uri) + ": the answer is no JSON";
            // Pages for people come from a wrong address. Once it was right they come from a proxy, and pass.
            throw understood || !reply.header("content-type").startsWith("text/html")
                    ? new ApiException(ApiFault.LOST, reply.status(), what, null)
                    : new ApiException(
                            ApiFault.DENIED,
                            reply.status(),
                            what + " but a page for people; check " + http.setting() + ": it must be where the API is",
                            null);
        }
    }

    private URI uri(String path) {
        return URI.create(base + path);
    }

    /**
     * A member as a text.
     *
     * @param node may be missing
     * @return empty for null, which {@link JsonNode#asText()} calls by its name
     */
    public static String text(JsonNode node) {
        return node.isNull() || node.isMissingNode() ? "" : node.asText();
    }

    /**
     * A member as a time.
     *
     * @param node may be missing
     * @param otherwise what counts when it is no time
     * @return the time
     */
    public static Instant time(JsonNode node, Instant otherwise) {
        try {
            return node.isTextual() ? Instant.parse(node.asText()) : otherwise;
        } catch (DateTimeParseException e) {
            return otherwise;
        }
    }

    /**
     * The same member of each item of a list.
     *
     * @param list may be missing
     * @param member its name
     * @return in any order, whatever their case
     */
    public static Set<String> names(JsonNode list, String member) {
        Set<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        list.forEach(item -> names.add(text(item.path(member))));
        return names;
    }

    private static byte[] bytes(ObjectNode body) {
        return body.toString().getBytes(StandardCharsets.UTF_8);
    }
}
