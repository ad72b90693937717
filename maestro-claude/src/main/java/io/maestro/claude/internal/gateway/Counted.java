package io.maestro.claude.internal.gateway;

import io.maestro.claude.GatewayClient;
import io.maestro.llm.Usage;

/** The model and the tokens of one answer, as far as it was read. For one thread. */
final class Counted {
    /** As few as a token of an answer has. */
    private static final int BYTES_PER_TOKEN = 2;

    /** Which of the tokens that are written to a cache stay there for an hour. */
    static final String FOR_AN_HOUR = "ephemeral_1h_input_tokens";

    private String model = "";
    private long input;
    private long output;
    private long cacheRead;
    private long cacheWrite;
    private long longCacheWrite;
    private long bytes;
    private boolean any;
    private boolean hidden;
    private boolean told;
    private boolean whole;

    void model(String name) {
        model = name;
    }

    /** A later count of the same kind replaces an earlier one: the API sends totals. */
    void count(String name, long tokens) {
        long value = Math.max(0, tokens);
        switch (name) {
            case "input_tokens" -> input = value;
            case "output_tokens" -> output = value;
            case "cache_read_input_tokens" -> cacheRead = value;
            case "cache_creation_input_tokens" -> cacheWrite = value;
            case FOR_AN_HOUR -> longCacheWrite = value;
            default -> {
                return;
            }
        }
        any = true;
    }

    /** So much of the answer was seen. */
    void seen(long bytesOfText) {
        bytes += bytesOfText;
    }

    /** The answer has parts that are not shown, or not as long as they are. */
    void hidden() {
        hidden = true;
    }

    /** The counts are those of the whole answer, unless later ones replace them. */
    void told() {
        told = true;
    }

    /** No more counts come. */
    void whole() {
        whole = true;
        told = true;
    }

    boolean any() {
        return any;
    }

    boolean isWhole() {
        return whole;
    }

    String model() {
        return model;
    }

    /**
     * The tokens. Of an answer whose end was not seen it is what they may be at most.
     *
     * @param request what was asked
     * @param read whether all that the API has sent was read
     */
    Usage usage(GatewayClient.Request request, boolean read) {
        long written = output;
        if (!told) {
            long most = request.maxTokens();
            long seen = (bytes + BYTES_PER_TOKEN - 1) / BYTES_PER_TOKEN;
            written = Math.max(output, hidden || !read ? most : Math.min(most, seen));
        }
        // A cache for an hour costs 2, one for five minutes 1.25 times as much as reading: counted as so many of these.
        long dearer = (Math.min(longCacheWrite, cacheWrite) * 3 + 4) / 5;
        return new Usage(input, written, cacheRead, cacheWrite + dearer);
    }
}
