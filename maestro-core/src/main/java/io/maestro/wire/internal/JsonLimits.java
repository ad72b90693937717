package io.maestro.wire.internal;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import org.jspecify.annotations.Nullable;

/**
 * How much JSON of the other side may hold. A tree takes up to thirty times the memory of its text, so it is the tokens that are
 * bounded, while it is read: a text that has more ends in an error before its tree is large.
 */
public final class JsonLimits {
    /** Far more than a call of a tool or a line of the CLI has. A tree of so many takes a few megabytes. */
    public static final int MOST_TOKENS = 50_000;

    private static final int DEEPEST = 500;

    private static final JsonMapper MAPPER = new JsonMapper(factory());

    private JsonLimits() {}

    /** For messages that are held as a whole, whose length is bounded by others. */
    public static JsonFactory factory() {
        return factory(MOST_TOKENS, Integer.MAX_VALUE);
    }

    /**
     * For anything else.
     *
     * @param tokens how many a text may have
     * @param characters how many a string may have that is asked for
     */
    public static JsonFactory factory(int tokens, int characters) {
        return JsonFactory.builder()
                // Names come from the other side, too: not for ever into the memory of the JVM.
                .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
                .disable(JsonFactory.Feature.CHARSET_DETECTION)
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxTokenCount(tokens)
                        .maxNestingDepth(DEEPEST)
                        .maxStringLength(characters)
                        .build())
                .build();
    }

    /** The tree of a text; null for what is no JSON, or too much of it. */
    public static @Nullable JsonNode tree(String text) {
        try {
            return MAPPER.readTree(text);
        } catch (JsonProcessingException e) {
            return null;
        }
    }
}
