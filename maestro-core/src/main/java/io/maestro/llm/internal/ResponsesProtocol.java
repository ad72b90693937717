package io.maestro.llm.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.internal.ApiKey;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.llm.LlmStreamListener;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * OpenAI's Responses API: see developers.openai.com, "Responses", "Function calling", "Structured outputs" and "Error codes".
 */
public final class ResponsesProtocol implements Protocol {
    /** Each has the status of a rate limit, but waiting does not help. */
    private static final Set<String> SPENT =
            Set.of("insufficient_quota", "billing_hard_limit_reached", "billing_not_active");

    private final boolean strictTools;
    private final boolean reasoning;

    /**
     * Sets all up.
     *
     * @param strictTools whether schemas are made strict where they can be
     * @param reasoning whether the model's reasoning is asked for, to send it back
     */
    public ResponsesProtocol(boolean strictTools, boolean reasoning) {
        this.strictTools = strictTools;
        this.reasoning = reasoning;
    }

    @Override
    public String title() {
        return "Responses API";
    }

    @Override
    public String keyVariable() {
        return "OPENAI_API_KEY";
    }

    @Override
    public String urlVariable() {
        return "OPENAI_BASE_URL";
    }

    @Override
    public Map<String, String> headers(@Nullable ApiKey key) {
        return key == null ? Map.of() : Map.of("authorization", "Bearer " + key.secret());
    }

    @Override
    public WrittenRequest question(String model, LlmRequest request, boolean stream) {
        ResponsesTools tools = new ResponsesTools(request.tools(), strictTools);
        ObjectNode body = ResponsesRequest.write(model, request, tools, reasoning);
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
                return new ResponsesResponse(tools).read(model, answer);
            }

            @Override
            public Pieces pieces(LlmStreamListener listener) {
                return new ResponsesPieces(model, new ResponsesResponse(tools), listener);
            }
        };
    }

    @Override
    public Fault fault(int status, JsonNode error) {
        String code = error.path("code").asText();
        String type = error.path("type").asText();
        String message = error.path("message").asText().toLowerCase(Locale.ROOT);
        int known = status != 0 ? status : status(code.isEmpty() || code.equals("null") ? type : code);
        if (known == 413 || code.equals("context_length_exceeded") || isTooLong(message)) {
            return Fault.overflow(known);
        }
        if (SPENT.contains(code) || SPENT.contains(type)) {
            return Fault.lasting(
                    known, "the account has no credit left or has reached its limit: waiting does not help");
        }
        if (known == 400 && message.contains("encrypted content is not supported")) {
            return Fault.lasting(known, "this model does not reason: call reasoning(false) where its client is built");
        }
        return Fault.of(known);
    }

    /** The last one is a single request above the limit of tokens in a minute, which waiting does not make smaller. */
    private static boolean isTooLong(String message) {
        return message.contains("exceeds the context window")
                || message.contains("maximum context length")
                || message.startsWith("request too large");
    }

    /** An answer that has begun has status 200 already; its errors have the codes that belong to these. */
    private static int status(String code) {
        return switch (code) {
            case "rate_limit_exceeded", "rate_limit_error", "slow_down", "insufficient_quota" -> 429;
            case "server_is_overloaded" -> 529;
            case "context_length_exceeded" -> 400;
            case "invalid_api_key", "authentication_error" -> 401;
            case "permission_error" -> 403;
            case "model_not_found", "not_found_error" -> 404;
            default -> code.startsWith("invalid_") ? 400 : 500;
        };
    }
}
