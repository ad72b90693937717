package io.maestro.mcp.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What a request of the stateless version says about itself.
 *
 * @param version the version that it names
 * @param meta the object that it stands in
 */
record Stateless(String version, JsonNode meta) {
    private static final String PREFIX = "io.modelcontextprotocol/";
    static final String VERSION = PREFIX + "protocolVersion";
    private static final String CAPABILITIES = PREFIX + "clientCapabilities";
    private static final String SERVER_INFO = PREFIX + "serverInfo";

    /** Null when the request does not name a version, and so is one of a client that began with a handshake. */
    static @Nullable Stateless of(JsonNode params) {
        JsonNode meta = params.path("_meta");
        JsonNode version = meta.path(VERSION);
        return version.isTextual() ? new Stateless(version.asText(), meta) : null;
    }

    /** The error to answer with, if there is something wrong with it. */
    @Nullable
    ObjectNode fault(JsonNode id) {
        if (!version.equals(Versions.STATELESS)) {
            return unsupported(id, version);
        }
        return meta.path(CAPABILITIES).isObject() ? null : missing(id, CAPABILITIES);
    }

    static ObjectNode noVersion(JsonNode id) {
        return missing(id, VERSION);
    }

    static ObjectNode unsupported(@Nullable JsonNode id, String asked) {
        ObjectNode error = Rpc.error(id, Rpc.UNSUPPORTED_VERSION, "Unsupported protocol version");
        ObjectNode data = ((ObjectNode) error.path("error")).putObject("data");
        data.putArray("supported").add(Versions.STATELESS);
        data.put("requested", asked);
        return error;
    }

    private static ObjectNode missing(JsonNode id, String field) {
        return Rpc.error(id, Rpc.INVALID_PARAMS, "The request must have \"" + field + "\" in params._meta.");
    }

    static void finish(ObjectNode result, ObjectNode serverInfo) {
        result.put("resultType", "complete");
        result.putObject("_meta").set(SERVER_INFO, serverInfo);
    }
}
