package io.maestro.claude.internal.gateway;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.maestro.wire.internal.JsonLimits;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/** Reads what a model is told by a request that a {@link RequestReader} has let through. For one thread. */
final class RequestTexts {
    private static final String SYSTEM = "system";

    /** As many parts as may be let through. */
    private static final JsonFactory JSON = JsonLimits.factory(1_000_000, Integer.MAX_VALUE);

    /** Not told to a model: with it the CLI says who it is. */
    private static final String HEADER = "x-anthropic-billing-header:";

    private final JsonParser parser;
    private final List<String> texts = new ArrayList<>();

    private RequestTexts(JsonParser parser) {
        this.parser = parser;
    }

    /**
     * Tells each text with its role.
     *
     * @param field where they stand in the request: {@code system} or {@code messages}
     */
    static void read(InputStream body, String field, BiConsumer<String, String> told) throws IOException {
        try (JsonParser parser = JSON.createParser(body)) {
            RequestTexts reader = new RequestTexts(parser);
            parser.nextToken();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                parser.nextToken();
                if (!name.equals(field)) {
                    parser.skipChildren();
                } else if (name.equals(SYSTEM)) {
                    reader.content();
                    reader.tell(SYSTEM, told);
                } else {
                    reader.messages(told);
                }
            }
        }
    }

    private void messages(BiConsumer<String, String> told) throws IOException {
        while (parser.nextToken() == JsonToken.START_OBJECT) {
            String role = "";
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                JsonToken value = parser.nextToken();
                if (name.equals("role") && value == JsonToken.VALUE_STRING) {
                    role = parser.getText();
                } else if (name.equals("content")) {
                    content();
                } else {
                    parser.skipChildren();
                }
            }
            tell(role, told);
        }
    }

    private void tell(String role, BiConsumer<String, String> told) {
        if (role.equals(SYSTEM) || role.equals("user")) {
            texts.stream()
                    .filter(text -> !text.isEmpty() && !text.startsWith(HEADER))
                    .forEach(text -> told.accept(role, text));
        }
        texts.clear();
    }

    /** A text, or blocks. */
    private void content() throws IOException {
        if (parser.currentToken() == JsonToken.VALUE_STRING) {
            texts.add(parser.getText());
        } else if (parser.currentToken() == JsonToken.START_ARRAY) {
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                block();
            }
        } else {
            block();
        }
    }

    private void block() throws IOException {
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            parser.skipChildren();
            return;
        }
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            if (parser.nextToken() == JsonToken.VALUE_STRING && name.equals("text")) {
                texts.add(parser.getText());
            } else {
                parser.skipChildren();
            }
        }
    }
}
