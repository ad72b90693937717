package io.maestro.internal;

import java.net.http.HttpHeaders;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How long a server asks to wait: {@code retry-after-ms}, {@code retry-after} in seconds or as a date, or the time at which a limit that
 * is used up is full again, as the headers of rate limits name it. The one place that reads such headers.
 */
public final class RetryAfter {
    /** More is as good as for ever, and keeps sums from overflowing. */
    private static final double MAX_MILLIS = Duration.ofDays(365).toMillis();

    private static final Pattern IN_MESSAGE = Pattern.compile("try again in (\\d{1,9}(?:\\.\\d{1,9})?) ?(ms|s)\\b");

    /** As Anthropic says that a subscription's limit is used up, which has no number of what remains. */
    private static final String UNIFIED = "anthropic-ratelimit-unified-";

    /** Smaller numbers are seconds from now, larger ones since 1970. */
    private static final long LEAST_EPOCH = 1_000_000_000;

    /** As OpenAI writes it: "6m0s", "1.5s", "20ms". */
    private static final Pattern SPAN = Pattern.compile(
            "(?:(\\d{1,6})h)?(?:(\\d{1,6})m)?(?:(\\d{1,9}(?:\\.\\d{1,9})?)s)?" + "(?:(\\d{1,9}(?:\\.\\d{1,9})?)ms)?");

    private RetryAfter() {}

    /** Empty when the server names no delay, or none that can be read. */
    public static Optional<Duration> of(HttpHeaders headers, Instant now) {
        return headers.firstValue("retry-after-ms")
                .flatMap(text -> millis(text, 1))
                .or(() -> headers.firstValue("retry-after")
                        .flatMap(text -> millis(text, 1000).or(() -> untilDate(text, now))))
                .or(() -> reset(headers, now));
    }

    /** The latest, where several limits are used up. */
    private static Optional<Duration> reset(HttpHeaders headers, Instant now) {
        return headers.map().keySet().stream()
                .map(name -> name.toLowerCase(Locale.ROOT))
                .filter(name -> name.contains("ratelimit-") && name.contains("reset") && isUsedUp(headers, name))
                .flatMap(name -> headers.firstValue(name).flatMap(text -> until(text.strip(), now)).stream())
                .max(Comparator.naturalOrder());
    }

    private static boolean isUsedUp(HttpHeaders headers, String reset) {
        return reset.equals(UNIFIED + "reset")
                ? headers.firstValue(UNIFIED + "status").orElse("").equals("rejected")
                : headers.firstValue(reset.replace("reset", "remaining"))
                        .orElse("")
                        .strip()
                        .equals("0");
    }

    private static Optional<Duration> until(String text, Instant now) {
        try {
            if (text.matches("\\d{1,12}")) {
                long seconds = Long.parseLong(text);
                // A second more, as a part of one is left out.
                return seconds < LEAST_EPOCH
                        ? Optional.of(Duration.ofSeconds(seconds))
                        : Optional.of(positive(Duration.between(now, Instant.ofEpochSecond(seconds))
                                .plusSeconds(1)));
            }
            Matcher span = SPAN.matcher(text);
            if (!text.isEmpty() && span.matches()) {
                double seconds = number(span.group(1)) * 3600
                        + number(span.group(2)) * 60
                        + number(span.group(3))
                        + number(span.group(4)) / 1000;
                return millis(String.valueOf(seconds), 1000);
            }
            return Optional.of(positive(Duration.between(now, Instant.parse(text))));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    private static double number(@Nullable String digits) {
        return digits == null ? 0 : Double.parseDouble(digits);
    }

    private static Duration positive(Duration time) {
        return time.isNegative() ? Duration.ZERO : time;
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
            return Optional.of(positive(Duration.between(now, date)));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }
}
