package io.maestro.claude.internal.gateway;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.async.ByteArrayFeeder;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Finds the usage in an answer that is one JSON object, without keeping the object. */
final class JsonMeter implements UsageMeter {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private final Counted counted = new Counted();
    private final JsonParser parser;
    private int depth;
    private String outer = "";
    private String inner = "";
    private String innermost = "";
    private boolean complete;
    private boolean broken;

    JsonMeter() {
        try {
            parser = new JsonFactory().createNonBlockingByteArrayParser();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void read(byte[] bytes, int length) {
        if (broken || complete) {
            return;
        }
        try {
            ((ByteArrayFeeder) parser.getNonBlockingInputFeeder()).feedInput(bytes, 0, length);
            JsonToken token = parser.nextToken();
            while (token != null && token != JsonToken.NOT_AVAILABLE && !complete) {
                take(token);
                token = parser.nextToken();
            }
        } catch (IOException e) {
            // Not JSON, or beyond the parser's limits: the client will say what it thinks of it.
            broken = true;
        }
    }

    private void take(JsonToken token) throws IOException {
        if (token.isStructStart()) {
            counts(token == JsonToken.START_OBJECT ? NODES.objectNode() : NODES.arrayNode());
            depth++;
        } else if (token.isStructEnd()) {
            depth--;
            if (depth == 0) {
                complete = true;
                counted.whole();
            }
        } else if (token == JsonToken.FIELD_NAME && depth == 1) {
            outer = parser.currentName();
        } else if (token == JsonToken.FIELD_NAME && depth == 2) {
            inner = parser.currentName();
        } else if (token == JsonToken.FIELD_NAME && depth == 3) {
            innermost = parser.currentName();
        } else if (token == JsonToken.VALUE_STRING && depth == 1 && outer.equals("model")) {
            counted.model(parser.getText());
        } else if (token.isScalarValue()) {
            counts(scalar(token));
        }
    }

    /** Takes a value, unless it stands elsewhere. Of an object or an array only that it is one: what is in it comes by itself. */
    private void counts(JsonNode value) {
        if (outer.equals("usage") && (depth == 2 || depth == 3)) {
            ObjectNode counts = NODES.objectNode();
            (depth == 2 ? counts : counts.putObject(inner)).set(depth == 2 ? inner : innermost, value);
            counted.counts(counts, false);
        }
    }

    /** A number, or a text in the place of what is none. */
    private JsonNode scalar(JsonToken token) throws IOException {
        return switch (token) {
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> NODES.numberNode(parser.getDoubleValue());
            case VALUE_NULL -> NODES.nullNode();
            default -> NODES.textNode("");
        };
    }

    @Override
    public Counted counted() {
        return counted;
    }
}
