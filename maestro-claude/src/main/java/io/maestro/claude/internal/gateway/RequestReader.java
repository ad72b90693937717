package io.maestro.claude.internal.gateway;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.maestro.claude.GatewayClient;
import io.maestro.wire.internal.HttpFault;
import io.maestro.wire.internal.JsonLimits;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;

/**
 * Reads a request for the Messages API without keeping its text, and lets nothing through that could cost what is not counted,
 * or that makes the API do more than answer: servers and files that it would fetch, tools that run there, faster and dearer
 * ways of processing. A field that is not known here is refused. For one thread.
 */
final class RequestReader {
    /** A long conversation has tens of thousands. */
    private static final JsonFactory JSON = JsonLimits.factory(1_000_000, 1_000);

    /** More than any model writes. */
    private static final long MOST_TOKENS = 1_000_000;

    /** As few as a token ever has: see what Maestro itself assumes of its requests. */
    private static final int BYTES_PER_TOKEN = 2;

    private static final int SERVICE_TOKENS = 1_000;
    private static final int IMAGE_TOKENS = 5_000;

    /** The pages of a document are read as texts and as images, and may be packed. */
    private static final int DOCUMENT_TOKENS = 200_000;

    /** What costs nothing, or no more than the tokens that it leads to. */
    private static final Set<String> HARMLESS = Set.of(
            "cache_control",
            "diagnostics",
            "metadata",
            "output_config",
            "output_format",
            "stop_sequences",
            "stream",
            "temperature",
            "thinking",
            "tool_choice",
            "top_k",
            "top_p");

    private final JsonParser parser;
    private final AllowedModels models;
    private String model = "";
    private long maxTokens;
    private long extraTokens;
    private long packed;
    private boolean cacheForAnHour;

    private RequestReader(JsonParser parser, AllowedModels models) {
        this.parser = parser;
        this.models = models;
    }

    /**
     * What a request asks for.
     *
     * @param length of the body, in bytes
     * @param answer whether it asks for an answer, and so must say how long that may be
     * @throws HttpFault when it must not be forwarded
     */
    static GatewayClient.Request read(InputStream body, long length, AllowedModels models, boolean answer)
            throws HttpFault {
        InputStreamReader text = new InputStreamReader(
                body,
                StandardCharsets.UTF_8
                        .newDecoder()
                        .onMalformedInput(CodingErrorAction.REPORT)
                        .onUnmappableCharacter(CodingErrorAction.REPORT));
        try (JsonParser parser = JSON.createParser(text)) {
            RequestReader reader = new RequestReader(parser, models);
            reader.request();
            require(
                    !reader.model.isEmpty() && (reader.maxTokens > 0 || !answer),
                    "the request must have a model and max_tokens");
            long input = SERVICE_TOKENS + Math.max(0, length - reader.packed) / BYTES_PER_TOKEN + reader.extraTokens;
            return new GatewayClient.Request(reader.model, input, reader.maxTokens, reader.cacheForAnHour);
        } catch (IOException | UncheckedIOException e) {
            // The message may show what is in it.
            throw new HttpFault(400, "the request is no JSON object, or has too many parts");
        }
    }

    private void request() throws IOException, HttpFault {
        require(parser.nextToken() == JsonToken.START_OBJECT, "the request must be a JSON object");
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            JsonToken value = parser.nextToken();
            switch (name) {
                case "model" -> {
                    // Of a name that stands twice each is looked at: who knows which one the API takes.
                    model = value == JsonToken.VALUE_STRING ? parser.getText() : "";
                    require(
                            models.allow(model),
                            "the model \"" + shown(model) + "\" is not one of this agent's: " + models);
                }
                case "max_tokens" -> {
                    long tokens = value == JsonToken.VALUE_NUMBER_INT ? parser.getLongValue() : 0;
                    require(tokens > 0 && tokens <= MOST_TOKENS, "max_tokens must be 1 to " + MOST_TOKENS);
                    maxTokens = Math.max(maxTokens, tokens);
                }
                case "messages" -> messages();
                case "system" -> content();
                case "tools" -> tools();
                case "context_management" -> edits();
                case "service_tier" -> only(name, "auto", "standard_only");
                case "speed" -> only(name, "standard");
                case "inference_geo" -> only(name, "global");
                default -> {
                    require(
                            HARMLESS.contains(name),
                            "the field \"" + shown(name)
                                    + "\" is not known, so that it might cost what is not counted");
                    skip();
                }
            }
        }
        require(parser.currentToken() == JsonToken.END_OBJECT && parser.nextToken() == null, "the request is cut off");
    }

    /** Passes over a value, unless it says for how long something is to be kept. */
    private void skip() throws IOException {
        int depth = 0;
        do {
            JsonToken token = parser.currentToken();
            cacheForAnHour |= token == JsonToken.VALUE_STRING
                    && "ttl".equals(parser.currentName())
                    && parser.getText().equals("1h");
            depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
        } while (depth > 0 && parser.nextToken() != null);
    }

    private void only(String name, String... values) throws IOException, HttpFault {
        boolean fine = parser.currentToken() == JsonToken.VALUE_NULL
                || parser.currentToken() == JsonToken.VALUE_STRING
                        && Set.of(values).contains(parser.getText());
        require(fine, name + " must be missing or one of " + String.join(", ", values));
    }

    private void messages() throws IOException, HttpFault {
        require(parser.currentToken() == JsonToken.START_ARRAY, "messages must be an array");
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            requireObject("a message");
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                parser.nextToken();
                if (name.equals("content")) {
                    content();
                } else {
                    skip();
                }
            }
        }
    }

    /** A text, or blocks, of which one may hold content again. */
    private void content() throws IOException, HttpFault {
        if (parser.currentToken() == JsonToken.START_ARRAY) {
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                block();
            }
        } else if (parser.currentToken() == JsonToken.START_OBJECT) {
            block();
        }
    }

    /** Not looked at is what a tool was called with: it is the model's, and means nothing to the API. */
    private void block() throws IOException, HttpFault {
        if (!parser.currentToken().isStructStart()) {
            return;
        }
        requireObject("a block of content");
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            JsonToken value = parser.nextToken();
            if (name.equals("type") && value == JsonToken.VALUE_STRING) {
                switch (parser.getText()) {
                    case "image" -> extraTokens += IMAGE_TOKENS;
                    case "document" -> extraTokens += DOCUMENT_TOKENS;
                    case "container_upload" -> throw new HttpFault(400, "files of the API's are not forwarded");
                    default -> {}
                }
            } else if (name.equals("source") && value == JsonToken.START_OBJECT) {
                source();
            } else if (name.equals("content")) {
                content();
            } else {
                skip();
            }
        }
    }

    private void source() throws IOException, HttpFault {
        boolean base64 = false;
        long data = 0;
        long from = -1;
        while (true) {
            JsonToken field = parser.nextToken();
            if (from >= 0) {
                // A string is passed over only now, without being kept.
                data += parser.currentLocation().getCharOffset() - from;
                from = -1;
            }
            if (field != JsonToken.FIELD_NAME) {
                break;
            }
            String name = parser.currentName();
            JsonToken value = parser.nextToken();
            if (name.equals("type")) {
                String type = value == JsonToken.VALUE_STRING ? parser.getText() : "";
                base64 |= type.equals("base64");
                require(
                        Set.of("base64", "text", "content").contains(type),
                        "a source of the type \"" + shown(type) + "\" is not forwarded: the API would fetch it");
            } else if (name.equals("content")) {
                content();
            } else if (name.equals("data") && value == JsonToken.VALUE_STRING) {
                from = parser.currentLocation().getCharOffset();
            } else {
                skip();
            }
        }
        packed += base64 ? data : 0;
    }

    private void tools() throws IOException, HttpFault {
        if (parser.currentToken() != JsonToken.START_ARRAY) {
            return;
        }
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            requireObject("a tool");
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                parser.nextToken();
                if (name.equals("type")) {
                    only("the type of a tool", "custom");
                } else {
                    skip();
                }
            }
        }
    }

    /** Taking out costs nothing; a summary that the API makes does. */
    private void edits() throws IOException, HttpFault {
        int depth = 0;
        do {
            JsonToken token = parser.currentToken();
            if (token == JsonToken.FIELD_NAME && parser.currentName().equals("type") && depth == 3) {
                String type = parser.nextToken() == JsonToken.VALUE_STRING ? parser.getText() : "";
                require(
                        type.toLowerCase(Locale.ROOT).startsWith("clear_"),
                        "context_management of the type \"" + shown(type) + "\" is not forwarded");
            }
            depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
        } while (depth > 0 && parser.nextToken() != null);
    }

    private void requireObject(String what) throws HttpFault {
        require(parser.currentToken() == JsonToken.START_OBJECT, what + " must be an object");
    }

    private static void require(boolean holds, String message) throws HttpFault {
        if (!holds) {
            throw new HttpFault(400, message);
        }
    }

    private static String shown(String text) {
        return text.length() <= 100 ? text : text.substring(0, 100) + "…";
    }
}
