package io.maestro.llm.internal;

import io.maestro.internal.ApiKey;
import io.maestro.llm.LlmException;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What authorizes requests, and what a gateway wants beside that. Its values are shown nowhere. Safe for use by several threads. */
public final class Credentials {
    /** Tokens that are still in messages of failed requests. */
    private static final int REMEMBERED = 16;

    /** What is shorter is no secret, and would be found everywhere. */
    private static final int SHORTEST_SECRET = 8;

    private final @Nullable ApiKey key;
    private final @Nullable Supplier<String> token;
    private final Map<String, String> headers;
    private final Deque<ApiKey> tokens = new ConcurrentLinkedDeque<>();

    /**
     * Takes what was set.
     *
     * @param key of the vendor; null for none, and where there is a token
     * @param token gives the bearer token of each request; null for none
     * @param headers further ones, which may be secret
     */
    public Credentials(@Nullable ApiKey key, @Nullable Supplier<String> token, Map<String, String> headers) {
        this.key = key;
        this.token = token;
        this.headers = Map.copyOf(headers);
    }

    /** The vendor's key. */
    Optional<ApiKey> key() {
        return Optional.ofNullable(key);
    }

    /** The headers of one request beside the vendor's own. */
    Map<String, String> headers() {
        if (token == null) {
            return headers;
        }
        Map<String, String> all = new LinkedHashMap<>(headers);
        all.put("authorization", "Bearer " + next(token).secret());
        return all;
    }

    private ApiKey next(Supplier<String> supplier) {
        ApiKey next;
        try {
            next = new ApiKey(supplier.get());
        } catch (RuntimeException e) {
            throw new LlmException("no bearer token can be had: " + e, e);
        }
        ApiKey last = tokens.peekFirst();
        if (last == null || !last.secret().equals(next.secret())) {
            tokens.addFirst(next);
            while (tokens.size() > REMEMBERED) {
                tokens.pollLast();
            }
        }
        return next;
    }

    /** The text without all these, should a server or a proxy have sent one back. */
    String removedFrom(String text) {
        String safe = key == null ? text : key.removedFrom(text);
        for (ApiKey one : tokens) {
            safe = one.removedFrom(safe);
        }
        for (String value : headers.values()) {
            if (value.length() >= SHORTEST_SECRET) {
                safe = safe.replace(value, "***");
            }
        }
        return safe;
    }

    /** None of the values. */
    @Override
    public String toString() {
        return "***";
    }
}
