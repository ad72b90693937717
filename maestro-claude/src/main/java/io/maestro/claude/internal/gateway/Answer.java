package io.maestro.claude.internal.gateway;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.wire.internal.HttpFault;
import java.nio.charset.StandardCharsets;

/**
 * An error that the gateway itself answers with, in the form of the Messages API.
 *
 * @param again whether the CLI should try again; it obeys, whatever the status
 */
record Answer(int status, String type, String message, boolean again) {
    static Answer noToken() {
        return new Answer(
                401, "authentication_error", "Maestro's gateway: the key is not the one of this agent", false);
    }

    static Answer noSuchPath() {
        return new Answer(404, "not_found_error", "Maestro's gateway forwards nothing but the Messages API", false);
    }

    /** What cannot be read, or must not be forwarded. */
    static Answer of(HttpFault fault) {
        return switch (fault.status()) {
            case 413 -> new Answer(413, "request_too_large", "Maestro's gateway: " + fault.text(), false);
            case 529 -> later(fault.text());
            default -> new Answer(fault.status(), "invalid_request_error", "Maestro's gateway: " + fault.text(), false);
        };
    }

    static Answer unreadable() {
        return new Answer(
                400, "invalid_request_error", "Maestro's gateway: the request cannot be sent to the API", false);
    }

    /** The one by which a budget shows: of all statuses that the CLI gives up on, the one that says nothing else to it. */
    static Answer refused(String why) {
        return new Answer(402, "billing_error", why, false);
    }

    static Answer later(String why) {
        return new Answer(529, "overloaded_error", "Maestro's gateway: " + why, true);
    }

    static Answer cut(String why) {
        return new Answer(400, "invalid_request_error", why, false);
    }

    static Answer hostFailed() {
        return new Answer(500, "api_error", "Maestro's gateway: the host could not say whether to go on", true);
    }

    static Answer unreachable(String why) {
        return new Answer(502, "api_error", "Maestro's gateway: " + why, true);
    }

    static Answer unusable(String why) {
        return new Answer(502, "api_error", "Maestro's gateway: the API's answer cannot be used: " + why, false);
    }

    static Answer silent() {
        return new Answer(504, "api_error", "Maestro's gateway: the API has said nothing for too long", true);
    }

    byte[] body() {
        ObjectNode root = JsonNodeFactory.instance.objectNode();
        root.put("type", "error").putObject("error").put("type", type).put("message", message);
        return root.toString().getBytes(StandardCharsets.UTF_8);
    }
}
