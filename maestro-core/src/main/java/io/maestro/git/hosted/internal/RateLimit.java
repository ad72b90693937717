package io.maestro.git.hosted.internal;

import io.maestro.internal.RetryAfter;
import java.net.http.HttpHeaders;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

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
        Duration named = RetryAfter.of(headers, Instant.now())
                .or(() -> isUsedUp(headers) ? reset(headers) : Optional.empty())
                .orElse(UNNAMED);
        Duration enough = named.compareTo(SHORTEST) < 0 ? SHORTEST : named;
        return enough.compareTo(LONGEST) < 0 ? enough : LONGEST;
    }

    private static boolean isUsedUp(HttpHeaders headers) {
        return value(headers, "remaining").orElse("").equals("0");
    }

    /** GitLab's headers have no X. */
    private static Optional<String> value(HttpHeaders headers, String what) {
        return headers.firstValue("x-ratelimit-" + what).or(() -> headers.firstValue("ratelimit-" + what));
    }

    private static Optional<Duration> reset(HttpHeaders headers) {
        try {
            return value(headers, "reset")
                    .map(text -> Duration.between(Instant.now(), Instant.ofEpochSecond(Long.parseLong(text.strip())))
                            .plusSeconds(1));
        } catch (RuntimeException e) {
            return Optional.empty();
        }
    }
}
