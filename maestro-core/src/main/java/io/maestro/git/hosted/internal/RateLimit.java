package io.maestro.git.hosted.internal;

import io.maestro.internal.RetryAfter;
import java.net.http.HttpHeaders;
import java.time.Duration;
import java.time.Instant;

/** When a server wants to be asked again. */
final class RateLimit {
    /** Where it does not say. */
    private static final Duration UNNAMED = Duration.ofMinutes(1);

    /** Limits are for an hour at most; a clock that is wrong shall not stop a story for longer than a day. */
    private static final Duration LONGEST = Duration.ofDays(1);

    private static final Duration SHORTEST = Duration.ofSeconds(1);

    private RateLimit() {}

    /** Whether a refusal is for the number of requests, and not for what was asked. */
    static boolean isReached(int status, HttpHeaders headers, String message) {
        return status == 429
                || status == 403
                        && (headers.firstValue("retry-after").isPresent()
                                || isUsedUp(headers)
                                || message.contains("rate limit"));
    }

    static Duration after(HttpHeaders headers) {
        Duration named = RetryAfter.of(headers, Instant.now()).orElse(UNNAMED);
        Duration enough = named.compareTo(SHORTEST) < 0 ? SHORTEST : named;
        return enough.compareTo(LONGEST) < 0 ? enough : LONGEST;
    }

    private static boolean isUsedUp(HttpHeaders headers) {
        // GitLab's headers have no X.
        return headers.firstValue("x-ratelimit-remaining")
                .or(() -> headers.firstValue("ratelimit-remaining"))
                .orElse("")
                .equals("0");
    }
}
