package io.maestro.claude;

import io.maestro.llm.Usage;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the CLI says on its standard output, as far as it is understood. {@code parent} is the id of the tool use of a sub-agent
 * that the line belongs to.
 */
public sealed interface ClaudeEvent {
    /**
     * A turn begins; comes again for each turn.
     *
     * @param sessionId the session
     * @param model the model
     * @param version the CLI's version
     * @param tools the names of all tools
     * @param mcpServers the status of each MCP server by name: connected, failed or pending
     */
    record Init(String sessionId, String model, String version, List<String> tools, Map<String, String> mcpServers)
            implements ClaudeEvent {}

    /**
     * A block of an answer of the model.
     *
     * @param messageId several blocks of one answer have the same
     * @param model the model
     * @param block the block as JSON text, in the form of the Messages API
     * @param parent empty for the main conversation
     */
    record Said(String messageId, String model, String block, Optional<String> parent) implements ClaudeEvent {}

    /** An answer while it is written, in pieces. What is written comes once more as {@link Said} when a block is whole. */
    sealed interface Partial extends ClaudeEvent {}

    /**
     * The model begins to write an answer.
     *
     * @param messageId the answer
     * @param model the model; empty when it is not said
     * @param usage what the model has read, which is charged whatever becomes of the answer; nothing is written yet
     * @param parent empty for the main conversation
     */
    record MessageStart(String messageId, String model, Usage usage, Optional<String> parent) implements Partial {}

    /**
     * The model has written a piece of a text.
     *
     * @param text the piece; not empty
     * @param parent empty for the main conversation
     */
    record TextDelta(String text, Optional<String> parent) implements Partial {}

    /**
     * An answer is whole. One that breaks off has no such end: another {@link MessageStart} follows, or a {@link Said} of an
     * answer that was not streamed.
     *
     * @param parent empty for the main conversation
     */
    record MessageStop(Optional<String> parent) implements Partial {}

    /**
     * The API has given no answer: what was {@link Said} just before is the CLI's own text.
     *
     * @param kind the CLI's word for it, for example {@code authentication_failed} or {@code server_error}
     * @param parent empty for the main conversation
     */
    record ApiError(String kind, Optional<String> parent) implements ClaudeEvent {}

    /**
     * The model calls a tool.
     *
     * @param id the id of the call
     * @param name the tool's name; {@code mcp__SERVER__TOOL} for one of ours
     * @param input the arguments as JSON text
     * @param parent empty for the main conversation
     */
    record ToolUse(String id, String name, String input, Optional<String> parent) implements ClaudeEvent {}

    /**
     * A tool has answered.
     *
     * @param toolUseId the id of the call
     * @param text the answer
     * @param isError whether it is an error
     * @param parent empty for the main conversation
     */
    record ToolResult(String toolUseId, String text, boolean isError, Optional<String> parent) implements ClaudeEvent {}

    /**
     * The API is asked again after a failure.
     *
     * @param attempt which try
     * @param status the HTTP status; 0 when there was none
     * @param delayMillis how long the CLI waits first
     */
    record ApiRetry(int attempt, int status, long delayMillis) implements ClaudeEvent {}

    /**
     * A turn has ended.
     *
     * @param subtype success, error_during_execution, error_max_turns, error_max_budget_usd, or something newer
     * @param isError whether it is a failure, whatever the subtype says
     * @param text the last text of the model, or the error
     * @param turns how many turns it took
     * @param cost in US dollars, since this process began
     * @param usage the tokens of the turn, which may leave out answers that were not streamed
     * @param models all tokens since this process began, by the model's name
     * @param apiStatus the HTTP status with which the API has refused; 0 when it has not
     * @param stopReason why the model has stopped, for example {@code end_turn} or {@code refusal}; empty when it is not said
     * @param sessionId the session
     */
    record Result(
            String subtype,
            boolean isError,
            String text,
            int turns,
            BigDecimal cost,
            Usage usage,
            Map<String, Usage> models,
            int apiStatus,
            String stopReason,
            String sessionId)
            implements ClaudeEvent {}

    /**
     * The CLI asks something of its host.
     *
     * @param requestId to be named in the answer
     * @param subtype for example {@code mcp_message} or {@code can_use_tool}
     * @param request the whole request as JSON text
     */
    record ControlRequest(String requestId, String subtype, String request) implements ClaudeEvent {}

    /**
     * The CLI answers its host.
     *
     * @param requestId what it answers
     * @param success whether it was done
     * @param response the whole response as JSON text
     */
    record ControlResponse(String requestId, boolean success, String response) implements ClaudeEvent {}

    /**
     * What is not understood, which comes with every release and does no harm.
     *
     * @param type its type, and its subtype if there is one
     */
    record Other(String type) implements ClaudeEvent {}
}
