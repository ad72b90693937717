package io.maestro.claude.internal.gateway;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.claude.GatewayClient;
import io.maestro.llm.Usage;
import io.maestro.llm.internal.VendorUsage;

/** The model and the tokens of one answer, as far as it was read. For one thread. */
final class Counted {
    /** As few as a token of an answer has. */
    private static final int BYTES_PER_TOKEN = 2;

    private static final String OUTPUT = "output_tokens";

    private final ObjectNode usage = JsonNodeFactory.instance.objectNode();
    private String model = "";
    private long guessed;
    private long bytes;
    private boolean any;
    private boolean hidden;
    private boolean whole;

    void model(String name) {
        model = name;
    }

    /**
     * Counts of the API, which are totals up to then.
     *
     * @param first whether they are those of the beginning of a stream
     */
    void counts(JsonNode counts, boolean first) {
        if (counts.isObject() && !counts.isEmpty()) {
            any = true;
            guessed = first ? Math.max(0, counts.path(OUTPUT).asLong()) : guessed;
            VendorUsage.update(usage, counts, first);
        }
    }

    /** So much of the answer was seen. */
    void seen(long bytesOfText) {
        bytes += bytesOfText;
    }

    /** The answer has parts that are not shown, or not as long as they are. */
    void hidden() {
        hidden = true;
    }

    /** No more counts come. */
    void whole() {
        whole = true;
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
     * The tokens. What the API has not said, or cannot be true, counts with what it may be at most.
     *
     * @param request what was asked
     * @param read whether all that the API has sent was read
     */
    Usage usage(GatewayClient.Request request, boolean read) {
        ObjectNode counts = usage.deepCopy();
        if (!counts.has(OUTPUT)) {
            long most = request.maxTokens();
            long seen = Math.min(most, (bytes + BYTES_PER_TOKEN - 1) / BYTES_PER_TOKEN);
            counts.put(OUTPUT, whole || hidden || !read ? most : Math.max(Math.min(most, guessed), seen));
        }
        Usage known = VendorUsage.ofMessages(counts, false);
        return known == null ? most(request) : known;
    }

    /** The dearest that is possible: all that is read may be written to a cache for an hour. */
    static Usage most(GatewayClient.Request request) {
        return new Usage(0, request.maxTokens(), 0, request.inputTokens(), request.inputTokens());
    }
}
