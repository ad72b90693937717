package io.maestro.git.hosted.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.git.hosted.internal.ApiException.ApiFault;
import java.net.URI;

/** Says what an answer means that is not a success. */
final class ApiFailure {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private ApiFailure() {}

    static ApiException of(ForgeHttp http, String rights, String method, URI uri, ForgeHttp.ForgeReply reply) {
        int status = reply.status();
        String said = http.line(message(reply));
        String what = method + " " + ForgeHttp.shown(uri) + ": HTTP " + status + (said.isEmpty() ? "" : " " + said);
        if (RateLimit.isReached(status, reply.headers(), said)) {
            return new ApiException(ApiFault.LIMITED, status, what, RateLimit.after(reply.headers()));
        }
        if (status >= 500 || status == 408) {
            return new ApiException(ApiFault.LOST, status, what, null);
        }
        if (status / 100 == 3) {
            return new ApiException(
                    ApiFault.DENIED,
                    status,
                    what + " redirect to " + http.line(reply.header("location"))
                            + ": the repository or the server has moved; correct the repository's URL or the base URL",
                    null);
        }
        String advice = switch (status) {
            case 401 -> ": the token is wrong, has expired or was revoked; give another one";
            case 403 -> ": the token may not do this; it needs " + rights + sso(http, reply);
            case 404 ->
                ": there is no such thing, or the token may not see it; check the repository's name and the token's"
                        + " rights";
            default -> "";
        };
        return new ApiException(advice.isEmpty() ? ApiFault.REFUSED : ApiFault.DENIED, status, what + advice, null);
    }

    private static String sso(ForgeHttp http, ForgeHttp.ForgeReply reply) {
        String header = reply.header("x-github-sso");
        return header.isEmpty() ? "" : " (single sign-on: " + http.line(header) + ")";
    }

    /** With the details that stand beside it. */
    private static String message(ForgeHttp.ForgeReply reply) {
        String text = reply.body();
        try {
            JsonNode json = MAPPER.readTree(text);
            StringBuilder all = new StringBuilder(words(json.path("message")));
            all.append(all.isEmpty() ? words(json.path("error")) : "");
            for (JsonNode error : json.path("errors")) {
                all.append("; ")
                        .append(
                                error.isTextual()
                                        ? error.asText()
                                        : error.path("message").asText(error.toString()));
            }
            return all.toString();
        } catch (JsonProcessingException e) {
            return reply.header("content-type").startsWith("text/html") ? "" : text;
        }
    }

    /** GitLab's message may be a list, or an object with a list for each member that is wrong. */
    private static String words(JsonNode message) {
        if (message.isArray()) {
            StringBuilder words = new StringBuilder();
            message.forEach(one -> words.append(words.isEmpty() ? "" : "; ").append(words(one)));
            return words.toString();
        }
        return message.isObject() ? message.toString() : ForgeApi.text(message);
    }
}
