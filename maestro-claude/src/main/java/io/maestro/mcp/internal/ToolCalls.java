package io.maestro.mcp.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.mcp.McpCall;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs {@code tools/call}. */
final class ToolCalls {
    private static final Logger LOG = LoggerFactory.getLogger(ToolCalls.class);

    private final Settings settings;
    private final Calls calls;

    ToolCalls(Settings settings, Calls calls) {
        this.settings = settings;
        this.calls = calls;
    }

    void call(JsonNode id, JsonNode params, String version, McpSession session, Replies replies) {
        JsonNode arguments = params.path("arguments");
        if (!params.path("name").isTextual()) {
            replies.respond(Rpc.error(id, Rpc.INVALID_PARAMS, "tools/call needs the name of a tool, a string."));
            return;
        }
        if (!arguments.isMissingNode() && !arguments.isNull() && !arguments.isObject()) {
            replies.respond(Rpc.error(id, Rpc.INVALID_PARAMS, "The arguments of a tool must be an object."));
            return;
        }
        McpCall asked = new McpCall(
                callId(id, params), params.path("name").asText(), arguments.isObject() ? arguments.toString() : "{}");
        Job job = new Job(id, asked, version, params.path("_meta").path("progressToken"), replies);
        RunningCall call =
                new RunningCall(job, replies::respond, () -> replies.cancelled(id), ended -> session.remove(id, ended));
        if (!session.add(id, call)) {
            replies.respond(Rpc.error(
                    id, Rpc.INVALID_REQUEST, "A request with this id is still running, or the connection is closed."));
            return;
        }
        try {
            if (!calls.start(call)) {
                session.remove(id, call);
                replies.respond(Rpc.error(
                        id,
                        Rpc.INTERNAL_ERROR,
                        "Nothing was run: " + settings.get(Settings.MAX_CALLS)
                                + " calls run already. Try again when one has ended."));
            }
        } catch (RejectedExecutionException e) {
            session.remove(id, call);
            replies.respond(Rpc.error(id, Rpc.INTERNAL_ERROR, "Nothing was run: the server is being closed."));
        }
    }

    private static String callId(JsonNode id, JsonNode params) {
        JsonNode own = params.path("_meta").path("claudecode/toolUseId");
        return own.isTextual() && !own.asText().isBlank() ? own.asText() : id.asText();
    }

    /** One call on its thread. */
    private final class Job implements Supplier<JsonNode> {
        private final JsonNode id;
        private final McpCall asked;
        private final String version;
        private final JsonNode token;
        private final Replies replies;
        private final ReentrantLock order = new ReentrantLock();
        private long beats;
        private final long start = System.nanoTime();
        private volatile String step = "";

        Job(JsonNode id, McpCall asked, String version, JsonNode token, Replies replies) {
            this.id = id;
            this.asked = asked;
            this.version = version;
            this.token = token;
            this.replies = replies;
        }

        @Override
        public JsonNode get() {
            Future<?> beating = beating();
            try {
                return answer();
            } finally {
                if (beating != null) {
                    beating.cancel(false);
                }
            }
        }

        private ObjectNode answer() {
            try {
                ObjectNode json = ToolsJson.result(settings.tools().answer(asked, this::step), version);
                if (version.equals(Versions.STATELESS)) {
                    Stateless.finish(
                            json,
                            Json.object()
                                    .put("name", settings.get(Settings.NAME))
                                    .put("version", settings.get(Settings.VERSION)));
                }
                return Rpc.result(id, json);
            } catch (Throwable e) {
                // Its message may hold anything, so it goes to neither the client nor a log that others read.
                LOG.error(
                        "A tool could not be called over MCP: {}", e.getClass().getName());
                LOG.debug("Why a tool could not be called", e);
                return Rpc.error(
                        id,
                        Rpc.INTERNAL_ERROR,
                        "The call failed with " + e.getClass().getSimpleName() + "; what the tool did is unknown.");
            }
        }

        private @Nullable Future<?> beating() {
            Duration first = replies.firstBeat(hasToken(), settings.get(Settings.PROGRESS_INTERVAL));
            if (first == null) {
                return null;
            }
            try {
                return calls.repeat(first, settings.get(Settings.PROGRESS_INTERVAL), this::beat);
            } catch (RejectedExecutionException e) {
                return null;
            }
        }

        private boolean hasToken() {
            return token.isTextual() || token.isIntegralNumber();
        }

        private void step(String said) {
            step = said;
            if (hasToken() && replies.firstBeat(true, settings.get(Settings.PROGRESS_INTERVAL)) != null) {
                beat();
            }
        }

        /** One after the other: the numbers that a client is told only grow. */
        private void beat() {
            order.lock();
            try {
                replies.beat(hasToken() ? progress() : null);
            } finally {
                order.unlock();
            }
        }

        private ObjectNode progress() {
            ObjectNode params = Json.object();
            params.set("progressToken", token);
            params.put("progress", ++beats);
            if (Versions.atLeast(version, Versions.BATCHES)) {
                long seconds = Duration.ofNanos(System.nanoTime() - start).toSeconds();
                params.put(
                        "message",
                        asked.tool() + " has been running for " + seconds + " s" + (step.isEmpty() ? "" : ": " + step));
            }
            return Rpc.notification("notifications/progress", params);
        }
    }
}
