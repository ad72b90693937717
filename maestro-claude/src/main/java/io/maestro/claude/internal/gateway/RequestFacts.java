package io.maestro.claude.internal.gateway;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.maestro.claude.GatewayClient;
import java.io.IOException;
import java.io.InputStream;

/** What a request says of its cost, read without keeping its text. */
final class RequestFacts {
    private static final JsonFactory JSON = new JsonFactory();

    private RequestFacts() {}

    static GatewayClient.Request of(InputStream body, long length) {
        String model = "";
        long maxTokens = 0;
        try (JsonParser parser = JSON.createParser(body)) {
            boolean open = parser.nextToken() == JsonToken.START_OBJECT;
            // To the end: of a name that stands twice the API takes the last one.
            while (open && parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                JsonToken value = parser.nextToken();
                if (name.equals("model") && value == JsonToken.VALUE_STRING) {
                    model = parser.getText();
                } else if (name.equals("max_tokens") && value == JsonToken.VALUE_NUMBER_INT) {
                    maxTokens = Math.max(maxTokens, parser.getLongValue());
                } else {
                    parser.skipChildren();
                }
            }
        } catch (IOException e) {
            // Not JSON: the API will say what it thinks of it.
            return new GatewayClient.Request(model, length, maxTokens);
        }
        return new GatewayClient.Request(model, length, maxTokens);
    }
}
