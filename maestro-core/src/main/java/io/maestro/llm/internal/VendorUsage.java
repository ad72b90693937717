package io.maestro.llm.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.llm.Usage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What answers say of tokens. A usage is known only if it has what was read and what was written, and if each count in it can be
 * true: what a service has not said is not 0.
 */
public final class VendorUsage {
    /** No model reads or writes as many in one answer. */
    private static final long MOST = 1_000_000_000;

    private static final String READ = "input_tokens";
    private static final String WRITTEN = "output_tokens";
    private static final String CACHE_READ = "cache_read_input_tokens";
    private static final String CACHE_WRITTEN = "cache_creation_input_tokens";
    private static final String CACHE_TIMES = "cache_creation";
    private static final String MINUTES = "ephemeral_5m_input_tokens";
    private static final String HOUR = "ephemeral_1h_input_tokens";
    private static final long NO_COUNT = -1;

    private VendorUsage() {}

    /**
     * Of the Messages API.
     *
     * @param usage its object
     * @param forAnHour whether the cache was asked to keep what it is given for an hour: where the answer does not say for how
     *     long it does, it is this
     * @return null when it is not known
     */
    public static @Nullable Usage ofMessages(JsonNode usage, boolean forAnHour) {
        JsonNode times = usage.path(CACHE_TIMES);
        long input = required(usage, READ);
        long output = required(usage, WRITTEN);
        long cacheRead = count(usage.path(CACHE_READ));
        long all = count(usage.path(CACHE_WRITTEN));
        long minutes = count(times, MINUTES);
        long hour = count(times, HOUR);
        if (List.of(input, output, cacheRead, all, minutes, hour).contains(NO_COUNT)) {
            return null;
        }
        long said = minutes + hour;
        long unsaid = Math.max(0, all - said);
        return new Usage(input, output, cacheRead, said + unsaid, hour + (forAnHour || said > 0 ? unsaid : 0));
    }

    /**
     * Of the Responses API: the count of what was read has what came from the cache, and what was written to it, in it; that of
     * what was written has the reasoning. Where the counts contradict each other, the larger number goes.
     */
    static @Nullable Usage ofResponses(JsonNode usage) {
        JsonNode details = usage.path("input_tokens_details");
        long read = required(usage, READ);
        long output = required(usage, WRITTEN);
        long cacheRead = count(details, "cached_tokens");
        long cacheWrite = count(details, "cache_write_tokens");
        long reasoning = count(usage.path("output_tokens_details"), "reasoning_tokens");
        long total = count(usage.path("total_tokens"));
        if (List.of(read, output, cacheRead, cacheWrite, reasoning, total).contains(NO_COUNT)
                || cacheRead + cacheWrite > read) {
            return null;
        }
        long written = Math.max(Math.max(output, reasoning), total - read);
        return new Usage(read - cacheRead - cacheWrite, written, cacheRead, cacheWrite);
    }

    /**
     * Takes over the counts of a stream of the Messages API, which are sums up to then. What is read stands in the first or the
     * last event, as it pleases the server, so the larger number is the right one, as for what is
     * written. One that cannot be true stays.
     *
     * @param usage what was said until now
     * @param later the object of one event
     * @param first whether it is that of the beginning, which only guesses how much will be written
     */
    public static void update(ObjectNode usage, JsonNode later, boolean first) {
        for (String name : List.of(READ, CACHE_READ, CACHE_WRITTEN)) {
            update(usage, name, later.path(name));
        }
        JsonNode times = later.path(CACHE_TIMES);
        if (!mayHaveCounts(times)) {
            usage.set(CACHE_TIMES, times);
        } else if (mayHaveCounts(usage.path(CACHE_TIMES))) {
            for (String name : List.of(MINUTES, HOUR)) {
                update(usage.withObjectProperty(CACHE_TIMES), name, times.path(name));
            }
        }
        if (!first) {
            update(usage, WRITTEN, later.path(WRITTEN));
        }
    }

    private static void update(ObjectNode usage, String name, JsonNode later) {
        long before = count(usage.path(name));
        long count = count(later);
        boolean larger = count == NO_COUNT || before != NO_COUNT && count >= before;
        if (larger && !later.isMissingNode() && !later.isNull()) {
            usage.set(name, later);
        }
    }

    private static long required(JsonNode usage, String name) {
        return usage.hasNonNull(name) ? count(usage.path(name)) : NO_COUNT;
    }

    private static long count(JsonNode details, String name) {
        return mayHaveCounts(details) ? count(details.path(name)) : NO_COUNT;
    }

    /** Else something stands in the place of an object, and nobody knows what was meant. */
    private static boolean mayHaveCounts(JsonNode details) {
        return details.isObject() || details.isMissingNode() || details.isNull();
    }

    /** 0 when it is missing or null, {@link #NO_COUNT} when it cannot be true. */
    private static long count(JsonNode count) {
        if (count.isMissingNode() || count.isNull()) {
            return 0;
        }
        double tokens = count.doubleValue();
        return count.isNumber() && tokens == Math.rint(tokens) && tokens >= 0 && tokens <= MOST
                ? (long) tokens
                : NO_COUNT;
    }
}
