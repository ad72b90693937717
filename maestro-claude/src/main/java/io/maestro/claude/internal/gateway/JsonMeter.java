package io.maestro.claude.internal.gateway;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.async.ByteArrayFeeder;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Finds the usage in an answer that is one JSON object, without keeping the object. */
final class JsonMeter implements Meter {
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
        } else if (token == JsonToken.VALUE_NUMBER_INT && outer.equals("usage")) {
            if (depth == 2) {
                counted.count(inner, parser.getLongValue());
            } else if (depth == 3 && inner.equals("cache_creation") && innermost.equals(Counted.FOR_AN_HOUR)) {
                counted.count(innermost, parser.getLongValue());
            }
        }
    }

    @Override
    public Counted counted() {
        return counted;
    }
}
