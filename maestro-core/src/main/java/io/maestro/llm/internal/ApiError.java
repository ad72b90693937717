package io.maestro.llm.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.internal.RetryAfter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Says what an answer with another status than 200 means, and an error in an answer that began well. */
final class ApiError {
    private final Shown shown;
    private final Protocol protocol;

    ApiError(Shown shown, Protocol protocol) {
        this.shown = shown;
        this.protocol = protocol;
    }

    AttemptException of(VendorResponse answer, byte[] body, Instant now) {
        Optional<ObjectNode> json = VendorJson.parseObject(body);
        JsonNode error = json.map(object -> object.path("error")).orElseGet(VendorJson::object);
        Protocol.Fault fault = protocol.fault(answer.status(), error);
        return failed(
                "HTTP " + answer.status() + description(answer, body, error) + requestId(answer, json),
                fault,
                isWorthRetrying(answer, fault),
                RetryAfter.of(answer.headers(), now).or(() -> RetryAfter.ofMessage(message(error))),
                false);
    }

    AttemptException inAnswer(VendorResponse answer, JsonNode error) {
        Protocol.Fault fault = protocol.fault(0, error);
        return failed(
                "the answer broke off with " + summary(error) + requestId(answer, Optional.empty()),
                fault,
                fault.kind() == AttemptException.FaultKind.PASSING,
                RetryAfter.ofMessage(message(error)),
                true);
    }

    private AttemptException failed(
            String what,
            Protocol.Fault fault,
            boolean worthRetrying,
            Optional<Duration> retryAfter,
            boolean mayBeCharged) {
        String advice = fault.advice().isEmpty() ? advice(fault.status()) : fault.advice();
        return new AttemptException(
                what + "; " + advice, null, fault.kind(), worthRetrying, retryAfter.orElse(null), mayBeCharged);
    }

    private static boolean isWorthRetrying(VendorResponse answer, Protocol.Fault fault) {
        if (fault.kind() == AttemptException.FaultKind.OVERFLOW) {
            return false;
        }
        return switch (answer.header("x-should-retry")) {
            case "true" -> true;
            case "false" -> false;
            default -> fault.kind() == AttemptException.FaultKind.PASSING;
        };
    }

    private String description(VendorResponse answer, byte[] body, JsonNode error) {
        if (error.isObject() && !error.isEmpty()) {
            return " " + summary(error);
        }
        if (answer.status() / 100 == 3) {
            return " redirect to " + shown.line(answer.header("location"));
        }
        String text = shown.line(new String(body, StandardCharsets.UTF_8));
        return text.isEmpty() ? " without a message" : ": " + text;
    }

    /** A code says more than a type, where there is one. */
    private String summary(JsonNode error) {
        String code = error.path("code").asText("");
        String name = code.isEmpty() || code.equals("null") ? error.path("type").asText() : code;
        return shown.line(name + ": " + message(error));
    }

    private static String message(JsonNode error) {
        return error.path("message").asText();
    }

    private String requestId(VendorResponse answer, Optional<ObjectNode> body) {
        String id = answer.headers()
                .firstValue("request-id")
                .or(() -> answer.headers().firstValue("x-request-id"))
                .or(() -> body.map(json -> json.path("request_id").asText()))
                .orElse("");
        return id.isEmpty() ? "" : " (request " + shown.line(id) + ")";
    }

    private String advice(int status) {
        return switch (status) {
            case 400, 422 -> "change the request as the message says";
            case 401 ->
                "check the API key (" + protocol.keyVariable() + "): it is wrong, revoked or of another service";
            case 402 -> "check the account's billing";
            case 403 -> "check in the service's console whether the API key may use this model";
            case 404 -> "check the model's name and the base URL (" + protocol.urlVariable() + ")";
            case 429 -> "the account's rate limit is reached: ask later, run fewer agents at once or raise the limit";
            case 529 -> "the service is overloaded: ask later";
            default -> {
                if (status / 100 == 3) {
                    yield "redirects are not followed, so that the API key stays here: set the base URL ("
                            + protocol.urlVariable() + ") to where the API is";
                }
                yield Protocol.Fault.of(status).kind() == AttemptException.FaultKind.PASSING
                        ? "the service has trouble: ask later"
                        : "check the base URL (" + protocol.urlVariable() + ")";
            }
        };
    }
}
