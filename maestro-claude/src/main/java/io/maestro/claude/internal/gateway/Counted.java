package io.maestro.claude.internal.gateway;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.claude.GatewayClient;
import io.maestro.llm.Usage;
import io.maestro.llm.internal.VendorUsage;

/** The model and the tokens of one answer, as far as it was read. For one thread. */
final class Counted {
    private static final String OUTPUT = "output_tokens";

    private final ObjectNode usage = JsonNodeFactory.instance.objectNode();
    private String model = "";
    private boolean any;
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
            VendorUsage.update(usage, counts, first);
        }
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
     * The tokens. What the API has not said, as when its answer was cut, or cannot be true, counts with what it may be at most.
     *
     * @param request what was asked
     */
    Usage usage(GatewayClient.Request request) {
        ObjectNode counts = usage.deepCopy();
        if (!counts.has(OUTPUT)) {
            counts.put(OUTPUT, request.maxTokens());
        }
        Usage known = VendorUsage.ofMessages(counts, request.cacheForAnHour());
        return known == null ? most(request) : known;
    }

    /** The dearest that is possible: all that is read may be written to a cache for an hour. */
    static Usage most(GatewayClient.Request request) {
        return new Usage(0, request.maxTokens(), 0, request.inputTokens(), request.inputTokens());
    }
}
