package io.maestro.git.hosted.internal.github;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.git.hosted.internal.ApiException;
import io.maestro.git.hosted.internal.ApiException.ApiFault;
import io.maestro.git.hosted.internal.ForgeApi;

/** GitHub's other API, which has what the first one has not: review threads as a whole, and their end. */
final class GraphQl {
    private final ForgeApi api;

    GraphQl(ForgeApi api) {
        this.api = api;
    }

    /** Asks; again when the answer was lost. */
    JsonNode query(String query, ObjectNode variables) {
        return api.retried(() -> once(query, variables));
    }

    /** Asks or changes something: sent once. */
    JsonNode once(String query, ObjectNode variables) {
        ObjectNode body = ForgeApi.object().put("query", query);
        body.set("variables", variables);
        ForgeApi.ApiAnswer answer = api.post(GitHub.graphQl(api.base()), body);
        JsonNode error = answer.json().path("errors").path(0);
        if (error.isObject()) {
            String message = "GraphQL: " + api.line(error.path("message").asText());
            throw switch (error.path("type").asText()) {
                case "RATE_LIMITED" -> ApiException.limited(message, answer.headers());
                case "FORBIDDEN", "NOT_FOUND", "INSUFFICIENT_SCOPES" ->
                    new ApiException(ApiFault.DENIED, 403, message, null);
                case "" -> new ApiException(ApiFault.LOST, 0, message, null);
                default -> new ApiException(ApiFault.REFUSED, 422, message, null);
            };
        }
        return answer.json().path("data");
    }
}
