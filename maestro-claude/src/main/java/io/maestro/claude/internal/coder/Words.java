package io.maestro.claude.internal.coder;

import io.maestro.agent.spi.AgentContext;
import io.maestro.claude.ClaudeResult;
import io.maestro.mcp.McpCall;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What a coder that is Claude Code is told, beside the answers of its tools. */
final class Words {
    private final AgentContext task;

    Words(AgentContext task) {
        this.task = task;
    }

    /** At the beginning of a session. */
    String first(List<String> news) {
        return with(List.of(task.assignment()), news);
    }

    /**
     * To a session that is taken up by a new process.
     *
     * @param ended whether it knows that it has ended, since its last call has ended its turn
     */
    String back(List<String> news, boolean ended) {
        String message = with(ended ? List.of() : List.of(restarted()), news);
        return message.isEmpty() ? restarted() : message;
    }

    private String restarted() {
        return task.prompt("claude-restarted", Map.of("terminal", terminal()));
    }

    /** At the beginning of a session that takes the place of one that is gone. */
    String lost(List<String> news) {
        return joined(List.of(task.assignment(), task.prompt("claude-lost", Map.of("terminal", terminal()))), news);
    }

    /** To a session whose process has failed; it may not have read the news. */
    String brokenDown(ClaudeResult result, List<String> news) {
        return joined(
                List.of(task.prompt("claude-stalled", Map.of("reason", why(result), "terminal", terminal()))), news);
    }

    /** To a session whose container was to be exchanged. */
    String moved(McpCall call, ToolResult result) {
        String answer = result.isError() ? "It has failed: " + result.text() : result.text();
        return with(List.of(task.prompt("claude-moved", Map.of("tool", call.tool(), "answer", answer))), List.of());
    }

    /** After a turn that no tool has ended. */
    String reminder() {
        return task.prompt("reminder", Map.of("terminal", terminal()));
    }

    /** The tools that end a turn, as the model sees them. */
    String terminal() {
        return task.tools().stream()
                .filter(ToolDefinition::terminal)
                .map(tool -> "`mcp__maestro__" + tool.name() + "`")
                .sorted()
                .collect(Collectors.joining(", "));
    }

    /** For people: what has happened to the CLI. */
    static String what(ClaudeResult result) {
        return switch (result.ending()) {
            case STALLED -> "has stalled";
            case TIMED_OUT -> "has taken too long";
            case FAILED -> "has failed";
            case ENDED -> "was ended";
            default -> "has broken down";
        };
    }

    /** The same for the model. */
    private static String why(ClaudeResult result) {
        return switch (result.ending()) {
            case STALLED -> "nothing was heard of you for too long";
            case TIMED_OUT -> "you had taken longer than a session may take";
            default -> "the program that you run in had broken down";
        };
    }

    /** With what stands in the chat. */
    private String with(List<String> parts, List<String> news) {
        List<String> all = new ArrayList<>(news);
        task.unread().ifPresent(all::add);
        return joined(parts, all);
    }

    private static String joined(List<String> parts, List<String> more) {
        List<String> all = new ArrayList<>(parts);
        all.addAll(more);
        return String.join("\n\n", all);
    }
}
