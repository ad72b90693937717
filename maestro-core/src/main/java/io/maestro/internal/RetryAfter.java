package io.maestro.internal;

import java.net.http.HttpHeaders;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How long a server asks to wait: {@code retry-after-ms}, or {@code retry-after} in seconds or as a date. */
public final class RetryAfter {
    /** More is as good as for ever, and keeps sums from overflowing. */
    private static final double MAX_MILLIS = Duration.ofDays(365).toMillis();

    private static final Pattern IN_MESSAGE = Pattern.compile("try again in (\\d{1,9}(?:\\.\\d{1,9})?) ?(ms|s)\\b");

    private RetryAfter() {}

    /** Empty when the server names no delay, or none that can be read. */
    public static Optional<Duration> of(HttpHeaders headers, Instant now) {
        return headers.firstValue("retry-after-ms")
                .flatMap(text -> millis(text, 1))
                .or(() -> headers.firstValue("retry-after")
                        .flatMap(text -> millis(text, 1000).or(() -> untilDate(text, now))));
    }

    /** OpenAI says it in the text of an error that comes in a stream, where no header can: "try again in 1.898s". */
    public static Optional<Duration> ofMessage(String message) {
        Matcher matcher = IN_MESSAGE.matcher(message);
        return matcher.find() ? millis(matcher.group(1), matcher.group(2).equals("ms") ? 1 : 1000) : Optional.empty();
    }

    private static Optional<Duration> millis(String text, int factor) {
        try {
            double millis = Double.parseDouble(text.strip()) * factor;
            return millis >= 0
                    ? Optional.of(Duration.ofMillis((long) Math.ceil(Math.min(millis, MAX_MILLIS))))
                    : Optional.empty();
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    private static Optional<Duration> untilDate(String text, Instant now) {
        try {
            Instant date = Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(text.strip()));
            Duration delay = Duration.between(now, date);
            return Optional.of(delay.isNegative() ? Duration.ZERO : delay);
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }
}
