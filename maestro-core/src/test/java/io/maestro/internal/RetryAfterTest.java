package io.maestro.internal;

import static io.maestro.testing.AssertThat.assertThat;

import java.net.http.HttpHeaders;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When services want to be asked again, in the headers that they send. */
class RetryAfterTest {
    private static final Instant NOW = Instant.parse("2027-01-01T00:00:00Z");

    @ParameterizedTest
    @CsvSource({
        "retry-after=40, 40",
        "Retry-After=40|anthropic-ratelimit-unified-status=rejected|anthropic-ratelimit-unified-reset=1798779600, 40",
        "'Retry-After=Fri, 01 Jan 2027 00:01:00 GMT', 60",
        "anthropic-ratelimit-unified-status=rejected|anthropic-ratelimit-unified-reset=1798779600, 18001",
        "anthropic-ratelimit-unified-status=allowed|anthropic-ratelimit-unified-reset=1798779600, ",
        "Anthropic-Ratelimit-Requests-Remaining=0|Anthropic-Ratelimit-Requests-Reset=2027-01-01T00:02:00Z, 120",
        "anthropic-ratelimit-tokens-remaining=7|anthropic-ratelimit-tokens-reset=2027-01-01T00:02:00Z, ",
        "anthropic-ratelimit-requests-remaining=0|anthropic-ratelimit-requests-reset=2027-01-01T00:02:00Z"
                + "|anthropic-ratelimit-tokens-remaining=0|anthropic-ratelimit-tokens-reset=2027-01-01T00:03:00Z, 180",
        "x-ratelimit-remaining-requests=0|x-ratelimit-reset-requests=6m0s, 360",
        "x-ratelimit-remaining-tokens=0|x-ratelimit-reset-tokens=1h2m3s, 3723",
        "x-ratelimit-remaining-tokens=0|x-ratelimit-reset-tokens=2000ms, 2",
        "x-ratelimit-remaining=0|x-ratelimit-reset=1798761660, 61",
        "ratelimit-remaining=0|ratelimit-reset=30, 30",
        "ratelimit-remaining=0|ratelimit-reset=1798761000, 0",
        "x-ratelimit-remaining=0|x-ratelimit-reset=soon, ",
        "x-ratelimit-remaining=0|x-ratelimit-reset=99999999999999999999, ",
        "x-ratelimit-reset=1798761660, "
    })
    void theTimeIsTheLatestOfTheLimitsThatAreUsedUp(String headers, Long seconds) {
        Map<String, List<String>> sent = new HashMap<>();
        for (String header : headers.split("\\|")) {
            int split = header.indexOf('=');
            sent.put(
                    header.substring(0, split),
                    List.of(header.substring(split + 1).replace("'", "")));
        }
        assertThat(RetryAfter.of(HttpHeaders.of(sent, (name, value) -> true), NOW))
                .isEqualTo(Optional.ofNullable(seconds).map(Duration::ofSeconds));
    }
}
