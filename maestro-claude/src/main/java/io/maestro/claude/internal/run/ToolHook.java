package io.maestro.claude.internal.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.claude.ClaudeCode;
import io.maestro.claude.ClaudeEvent;
import io.maestro.claude.ClaudeToolGate;
import io.maestro.internal.Threads;
import io.maestro.wire.internal.JsonLimits;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The hook that the CLI calls before it runs a tool, although it skips permissions. The CLI runs the tool when the hook answers with
 * an error, and does not when it answers in no time: so each call is answered, with a decision, and whatever goes wrong here is a
 * refusal. A tool that has run although the hook was not called for it ends the run. Safe for use by several threads.
 */
final class ToolHook {
    private static final Logger LOG = LoggerFactory.getLogger(ToolHook.class);
    private static final ObjectMapper JSON = new ObjectMapper();

    static final String SUBTYPE = "hook_callback";
    private static final String EVENT = "PreToolUse";
    private static final String CALLBACK = "maestro-before-tool";
    private static final String OURS = "mcp__" + McpLink.SERVER + "__";

    /** How the CLI answers a call that it has not run, as one with wrong arguments. A tool that has run and failed says no such. */
    private static final String NOT_RUN = "<tool_use_error>";

    /** A week: the host's own limits end a wait. */
    private static final int SECONDS = 604_800;

    private static final int MOST_OPEN = 100;
    private static final int MOST_KEPT = 10_000;

    private final ClaudeToolGate gate;
    private final Runnable onWait;
    private final Runnable onAnswer;
    private final AtomicInteger open = new AtomicInteger();
    private final ExecutorService threads = Threads.newExecutor("maestro-claude-hook");

    /** Uses of the CLI's own tools that have no result yet, by their ids; of the thread that reads. */
    private final Map<String, String> running = new ConcurrentHashMap<>();

    private final Set<String> decided = ConcurrentHashMap.newKeySet();

    /**
     * A hook.
     *
     * @param gate decides
     * @param onWait told before it is asked
     * @param onAnswer told when it has answered
     */
    ToolHook(ClaudeToolGate gate, Runnable onWait, Runnable onAnswer) {
        this.gate = gate;
        this.onWait = onWait;
        this.onAnswer = onAnswer;
    }

    /** What the CLI is told of it at the beginning. */
    static void announce(ObjectNode initialize) {
        ObjectNode hook = initialize.putObject("hooks").putArray(EVENT).addObject();
        hook.putNull("matcher").put("timeout", SECONDS);
        hook.putArray("hookCallbackIds").add(CALLBACK);
    }

    /**
     * The CLI calls it.
     *
     * @param answer is given the id of the request and the answer, on any thread
     */
    void call(ClaudeEvent.ControlRequest request, BiConsumer<String, JsonNode> answer) {
        JsonNode content = JsonLimits.tree(request.request());
        JsonNode input = content == null ? JSON.createObjectNode() : content.path("input");
        String id = input.path("tool_use_id").asText();
        String tool = input.path("tool_name").asText();
        JsonNode arguments = input.path("tool_input");
        if (tool.isEmpty() || id.isEmpty() || !arguments.isObject()) {
            answer.accept(request.requestId(), denial("Maestro could not read this call."));
        } else if (tool.startsWith(OURS)) {
            // It goes through Maestro itself, which decides there.
            answer.accept(request.requestId(), JSON.createObjectNode());
        } else if (open.incrementAndGet() > MOST_OPEN || decided.size() >= MOST_KEPT) {
            open.decrementAndGet();
            answer.accept(request.requestId(), denial("Maestro decides on " + MOST_OPEN + " calls at a time."));
        } else {
            decided.add(id);
            decide(request.requestId(), id, tool, arguments.toString(), answer);
        }
    }

    private void decide(String requestId, String id, String tool, String input, BiConsumer<String, JsonNode> answer) {
        try {
            threads.execute(() -> {
                JsonNode decision = denial("Maestro could not decide on this call.");
                onWait.run();
                try {
                    decision =
                            gate.refusal(id, tool, input).map(ToolHook::denial).orElseGet(JSON::createObjectNode);
                } catch (Exception | LinkageError | StackOverflowError | AssertionError e) {
                    LOG.warn("what decides on the CLI's own tools failed, and {} is refused: {}", tool, e.toString());
                } finally {
                    onAnswer.run();
                    open.decrementAndGet();
                    answer.accept(requestId, decision);
                }
            });
        } catch (RejectedExecutionException e) {
            answer.accept(requestId, denial("The run is over."));
        }
    }

    private static JsonNode denial(String why) {
        ObjectNode answer = JSON.createObjectNode();
        answer.putObject("hookSpecificOutput")
                .put("hookEventName", EVENT)
                .put("permissionDecision", "deny")
                .put("permissionDecisionReason", why);
        return answer;
    }

    /** A tool is used, as the CLI says. */
    void used(ClaudeEvent.ToolUse use) {
        if (!use.name().startsWith(OURS) && running.size() < MOST_KEPT) {
            running.put(use.id(), use.name());
        }
    }

    /**
     * A tool has answered, as the CLI says.
     *
     * @return what is wrong, when it has run and nobody had decided on it
     */
    Optional<String> answered(ClaudeEvent.ToolResult result) {
        String tool = running.remove(result.toolUseId());
        boolean known = decided.remove(result.toolUseId());
        boolean notRun = result.isError() && result.text().startsWith(NOT_RUN);
        return tool == null || known || notRun
                ? Optional.empty()
                : Optional.of("the CLI has run its tool " + tool + " without asking first, although a policy decides on"
                        + " its tools; look for managed settings that switch off hooks ("
                        + ClaudeCode.MANAGED_DIRECTORIES
                        + "), or use another version of it");
    }

    /** Interrupts those who still decide. */
    void close() {
        threads.shutdownNow();
    }
}
