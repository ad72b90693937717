package io.maestro.mcp.internal;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What belongs to one client: what it has negotiated, and its calls. Safe for use by several threads. */
final class McpSession {
    private final Map<JsonNode, RunningCall> calls = new ConcurrentHashMap<>();
    private volatile String version;
    private volatile boolean closed;

    McpSession(String version) {
        this.version = version;
    }

    String version() {
        return version;
    }

    /**
     * A new handshake. The client counts its requests anew, so the calls of before are cancelled and their ids are free at once:
     * a tool may need long to notice its interrupt, or ignore it.
     */
    void begin(String negotiated) {
        calls.forEach((id, call) -> {
            calls.remove(id, call);
            call.cancel();
        });
        version = negotiated;
    }

    /** False when a call with this id runs, or nothing may run any more. */
    boolean add(JsonNode id, RunningCall call) {
        if (closed || calls.putIfAbsent(id, call) != null) {
            return false;
        }
        if (closed) {
            call.cancel();
        }
        return true;
    }

    void remove(JsonNode id, RunningCall call) {
        calls.remove(id, call);
    }

    /** Ends the call with this id, if there is one. */
    void cancel(JsonNode id) {
        RunningCall call = calls.get(id);
        if (call != null) {
            call.cancel();
        }
    }

    boolean isIdle() {
        return calls.isEmpty();
    }

    void close() {
        closed = true;
        calls.values().forEach(RunningCall::cancel);
    }
}
