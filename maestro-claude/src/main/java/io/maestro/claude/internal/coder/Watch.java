package io.maestro.claude.internal.coder;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.agent.spi.AgentContext;
import io.maestro.claude.ClaudeEvent;
import io.maestro.claude.ClaudeListener;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes what the CLI and its model say into the record, and takes note of what tells why a turn has ended. Safe for use by
 * several threads.
 */
final class Watch implements ClaudeListener {
    private static final Logger LOG = LoggerFactory.getLogger(Watch.class);
    private static final JsonMapper JSON = new JsonMapper();

    /** A model that answers so often without a tool of Maestro's may have lost its way. */
    static final int TURNS_WITHOUT_TOOLS = 20;

    /** What of an answer is worth keeping: the record is for people. */
    private static final int KEPT_CHARACTERS = 64 * 1024;

    private static final String SYNTHETIC = "<synthetic>";
    private static final String MAESTRO_TOOLS = "mcp__maestro__";

    /** A call of a tool of the CLI's own, until it is answered or the turn ends. */
    private record Running(String name, long began) {}

    private final AgentContext task;
    private final Consumer<Happening> happenings;
    private final StreamedText text;
    private final Map<String, Running> running = new ConcurrentHashMap<>();

    /** What is said to the CLI and was not told to the model yet; replaced if it never is. */
    private final AtomicReference<@Nullable String> saying = new AtomicReference<>();

    private String lastMessage = "";
    private int turns;
    private final AtomicInteger turnsOfVisit = new AtomicInteger();

    Watch(AgentContext task, Consumer<Happening> happenings) {
        this.task = task;
        this.happenings = happenings;
        this.text = new StreamedText(task.stream());
    }

    @Override
    public void onEvent(ClaudeEvent event) {
        try {
            react(event);
        } catch (RuntimeException e) {
            happenings.accept(new Happening.Broken(e));
        }
    }

    private void react(ClaudeEvent event) {
        text.onEvent(event);
        if (event instanceof ClaudeEvent.MessageStart) {
            heard();
        } else if (event instanceof ClaudeEvent.Said said) {
            if (!said.model().equals(SYNTHETIC)) {
                heard();
            }
            if (said.parent().isEmpty()) {
                count(said.messageId());
            }
            // The CLI's own words, as when the API has refused a request, are none of the model's.
            task.record(said.model().equals(SYNTHETIC) ? "note" : "assistant", "[" + kept(said.block()) + "]");
        } else if (event instanceof ClaudeEvent.ToolUse use) {
            used(use);
        } else if (event instanceof ClaudeEvent.ToolResult result) {
            answered(result);
            task.record("user", toolResult(result));
        } else if (event instanceof ClaudeEvent.ApiRetry retry) {
            LOG.debug("{}: the API is asked again after {}", task.agentId(), retry.status());
            if (retry.status() == ApiFailure.UNAUTHORIZED && retry.attempt() > 1) {
                // The CLI would ask ten times, for minutes.
                happenings.accept(new Happening.Broken(ApiFailure.refusedKey(retry.status(), "")));
            }
        } else if (event instanceof ClaudeEvent.Result) {
            turns = 0;
            running.clear();
        }
    }

    private void used(ClaudeEvent.ToolUse use) {
        if (use.name().startsWith(MAESTRO_TOOLS)) {
            turns = 0;
        } else {
            running.put(use.id(), new Running(use.name(), System.nanoTime()));
            task.ownToolStarted(use.id(), use.name(), use.input());
        }
    }

    private void answered(ClaudeEvent.ToolResult result) {
        Running tool = running.remove(result.toolUseId());
        if (tool != null) {
            Duration took = Duration.ofNanos(System.nanoTime() - tool.began());
            task.ownToolFinished(result.toolUseId(), tool.name(), took, result.isError(), result.text());
        }
    }

    private void count(String messageId) {
        if (messageId.equals(lastMessage)) {
            return;
        }
        lastMessage = messageId;
        turnsOfVisit.incrementAndGet();
        if (++turns % TURNS_WITHOUT_TOOLS == 0) {
            LOG.warn("{}: Claude Code has answered {} times without a tool of Maestro's", task.agentId(), turns);
            note("Claude Code has answered " + turns + " times without a tool of Maestro's");
        }
    }

    /** A visit begins. */
    void visit() {
        turnsOfVisit.set(0);
    }

    /** How many answers of the model the visit has left. */
    int turnsLeft() {
        return Math.max(0, task.limits().turnsPerState() - turnsOfVisit.get());
    }

    /** Something for people who read the record. */
    void note(String text) {
        task.record("note", block(text).toString());
    }

    /** Something is said to the CLI. It counts as told when the model has it. */
    void saying(String text) {
        saying.set(text);
    }

    /** The model answers; where no gateway has seen what it was told, this is the first sign of that. */
    private void heard() {
        String said = saying.getAndSet(null);
        if (said != null) {
            task.recordOnce("system", block(task.instructions()).toString());
            task.record("user", block(said.strip()).toString());
        }
    }

    /**
     * The model was told a text: what was said to the CLI, something from before, or the CLI's own words. Blanks around it, which
     * the CLI adds and takes away, do not make it another one.
     */
    void told(String role, String text) {
        String said = saying.get();
        String row = block(text.strip()).toString();
        if (said != null && role.equals("user") && text.contains(said.strip()) && saying.compareAndSet(said, null)) {
            task.record(role, row);
        } else {
            task.recordOnce(role, row);
        }
    }

    private static ArrayNode block(String text) {
        ArrayNode blocks = JSON.createArrayNode();
        blocks.addObject().put("type", "text").put("text", text);
        return blocks;
    }

    /** A block, or as a text what of it is kept. */
    private static String kept(String json) {
        return json.length() <= KEPT_CHARACTERS
                ? json
                : JSON.createObjectNode()
                        .put("type", "text")
                        .put("text", cut(json))
                        .toString();
    }

    private static String cut(String text) {
        int half = KEPT_CHARACTERS / 2;
        return text.length() <= KEPT_CHARACTERS
                ? text
                : text.substring(0, half) + "\n[… " + (text.length() - 2 * half) + " characters left out …]\n"
                        + text.substring(text.length() - half);
    }

    private static String toolResult(ClaudeEvent.ToolResult result) {
        ArrayNode blocks = JSON.createArrayNode();
        ObjectNode block = blocks.addObject()
                .put("type", "tool_result")
                .put("tool_use_id", result.toolUseId())
                .put("content", cut(result.text()));
        if (result.isError()) {
            block.put("is_error", true);
        }
        return blocks.toString();
    }
}
