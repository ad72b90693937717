package io.maestro.mcp.internal;

import com.fasterxml.jackson.databind.JsonNode;

/** Why a request over HTTP is refused. */
final class HttpFault extends Exception {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final transient JsonNode body;

    HttpFault(int status, String message) {
        this(status, Rpc.error(null, Rpc.INVALID_REQUEST, message));
    }

    HttpFault(int status, JsonNode body) {
        super("HTTP " + status, null, false, false);
        this.status = status;
        this.body = body;
    }

    int status() {
        return status;
    }

    JsonNode body() {
        return body;
    }
}
