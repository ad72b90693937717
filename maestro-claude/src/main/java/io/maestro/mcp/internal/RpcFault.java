package io.maestro.mcp.internal;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.wire.internal.HttpFault;

/** Why a request over HTTP is refused, as an error of JSON-RPC. */
final class RpcFault extends HttpFault {
    private static final long serialVersionUID = 1L;

    private final transient JsonNode body;

    RpcFault(int status, JsonNode body) {
        super(status, "HTTP " + status);
        this.body = body;
    }

    /** What a client is told of any fault. */
    static JsonNode body(HttpFault fault) {
        return fault instanceof RpcFault rpc ? rpc.body : Rpc.error(null, Rpc.INVALID_REQUEST, fault.text());
    }
}
