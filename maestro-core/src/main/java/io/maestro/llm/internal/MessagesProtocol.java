package io.maestro.llm.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.internal.ApiKey;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.llm.LlmStreamListener;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Anthropic's Messages API, version {@value #VERSION}: see docs.anthropic.com, "Messages", "Streaming messages", "Errors" and
 * "Prompt caching".
 */
public final class MessagesProtocol implements Protocol {
    private static final String VERSION = "2023-06-01";

    private final PromptCaching caching;

    /**
     * Sets all up.
     *
     * @param caching what is asked to be cached
     */
    public MessagesProtocol(PromptCaching caching) {
        this.caching = caching;
    }

    @Override
    public String title() {
        return "Messages API";
    }

    @Override
    public String keyVariable() {
        return "ANTHROPIC_API_KEY";
    }

    @Override
    public String urlVariable() {
        return "ANTHROPIC_BASE_URL";
    }

    @Override
    public Map<String, String> headers(@Nullable ApiKey key) {
        return key == null
                ? Map.of("anthropic-version", VERSION)
                : Map.of("anthropic-version", VERSION, "x-api-key", key.secret());
    }

    @Override
    public WrittenRequest question(String model, LlmRequest request, boolean stream) {
        ObjectNode body = MessagesRequest.write(model, request);
        caching.mark(body);
        boolean forAnHour = caching == PromptCaching.HOUR;
        if (stream) {
            body.put("stream", true);
        }
        return new WrittenRequest() {
            @Override
            public ObjectNode body() {
                return body;
            }

            @Override
            public LlmResponse read(ObjectNode answer) throws UnreadableException, ErrorException {
                return MessagesResponse.read(model, answer, forAnHour);
            }

            @Override
            public Pieces pieces(LlmStreamListener listener) {
                return new MessagesPieces(model, forAnHour, listener);
            }
        };
    }

    @Override
    public Fault fault(int status, JsonNode error) {
        int known = status != 0 ? status : status(error.path("type").asText());
        String message = error.path("message").asText().toLowerCase(Locale.ROOT);
        if (known == 413 || (known == 400 && isTooLong(message))) {
            return Fault.overflow(known);
        }
        // It has the status of a rate limit, but lasts until the next month or a new contract.
        if (error.path("details").path("error_code").asText().contains("spend_limit")) {
            return Fault.lasting(known, "the account's spend limit is reached: raise it");
        }
        return Fault.of(known);
    }

    /** Both are what the service has said; there is no code for it. */
    private static boolean isTooLong(String message) {
        return message.contains("prompt is too long") || message.contains("exceed context limit");
    }

    /** A stream that has begun has status 200 already; its errors have the types that belong to these. */
    private static int status(String type) {
        return switch (type) {
            case "invalid_request_error" -> 400;
            case "authentication_error" -> 401;
            case "billing_error" -> 402;
            case "permission_error" -> 403;
            case "not_found_error" -> 404;
            case "request_too_large" -> 413;
            case "rate_limit_error" -> 429;
            case "timeout_error" -> 504;
            case "overloaded_error" -> 529;
            default -> 500;
        };
    }
}
