package io.maestro.testkit.api;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.llm.Usage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What {@link StubApi} answers. Immutable: each method that adds something gives a new one. */
public final class ApiReply {
    static final ObjectMapper JSON = new ObjectMapper();

    /** What happens to an answer on its way. */
    enum Fault {
        NONE,
        /** The connection is cut after the first block has begun. */
        DROP,
        /** An {@code error} event after the first block has begun. */
        SSE_ERROR,
        /** Nothing is answered, until the stub is closed or the client goes. */
        HANG,
        /** Nothing more comes after the first block has begun. */
        STALL,
        /** None, but the model stops because it refuses. */
        REFUSAL
    }

    final List<ObjectNode> blocks;
    final Usage usage;
    final int status;
    final Map<String, String> headers;
    final String errorType;
    final String message;
    final Fault fault;
    final Duration delay;

    private ApiReply(
            List<ObjectNode> blocks,
            Usage usage,
            int status,
            Map<String, String> headers,
            String errorType,
            String message,
            Fault fault,
            Duration delay) {
        this.blocks = List.copyOf(blocks);
        this.usage = usage;
        this.status = status;
        this.headers = Map.copyOf(headers);
        this.errorType = errorType;
        this.message = message;
        this.fault = fault;
        this.delay = delay;
    }

    private static ApiReply of(List<ObjectNode> blocks, Fault fault) {
        return new ApiReply(blocks, new Usage(100, 20, 0, 0), 200, Map.of(), "", "", fault, Duration.ZERO);
    }

    /**
     * The model says a text, and ends its turn unless it calls a tool, too.
     *
     * @param text what it says
     * @return the answer, with 100 input and 20 output tokens
     */
    public static ApiReply text(String text) {
        return of(List.of(), Fault.NONE).andText(text);
    }

    /**
     * The model calls a tool; the id is made up when the answer is sent.
     *
     * @param tool its name, as the request has it
     * @param input names and values in turn
     * @return the answer, with 100 input and 20 output tokens
     */
    public static ApiReply use(String tool, Object... input) {
        return of(List.of(), Fault.NONE).andUse(tool, input);
    }

    /**
     * The API refuses, with the type of error that belongs to the status.
     *
     * @param status 400, 401, 403, 404, 413, 429, 500, 529 and so on
     * @param message why
     * @return the answer
     */
    public static ApiReply error(int status, String message) {
        return new ApiReply(
                List.of(), Usage.NONE, status, Map.of(), errorType(status), message, Fault.NONE, Duration.ZERO);
    }

    /**
     * The API takes the request and never answers.
     *
     * @return no answer, until the stub is closed
     */
    public static ApiReply hang() {
        return of(List.of(), Fault.HANG);
    }

    /**
     * Adds a text.
     *
     * @param text what the model says
     * @return a new answer
     */
    public ApiReply andText(String text) {
        return and(JSON.createObjectNode().put("type", "text").put("text", text));
    }

    /**
     * Adds a block of thinking.
     *
     * @param text what the model thinks
     * @return a new answer
     */
    public ApiReply andThinking(String text) {
        return and(JSON.createObjectNode()
                .put("type", "thinking")
                .put("thinking", text)
                .put("signature", "c3R1Yg=="));
    }

    /**
     * Adds a call of a tool; an id is made up.
     *
     * @param tool its name
     * @param input names and values in turn
     * @return a new answer
     */
    public ApiReply andUse(String tool, Object... input) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < input.length; i += 2) {
            map.put((String) input[i], input[i + 1]);
        }
        return andUseWithId("", tool, map);
    }

    /**
     * Adds a call of a tool with an id of the test's own.
     *
     * @param id empty for one that is made up
     * @param tool its name
     * @param input the arguments
     * @return a new answer
     */
    public ApiReply andUseWithId(String id, String tool, Map<String, Object> input) {
        ObjectNode block =
                JSON.createObjectNode().put("type", "tool_use").put("id", id).put("name", tool);
        block.set("input", JSON.valueToTree(input));
        return and(block);
    }

    private ApiReply and(ObjectNode block) {
        List<ObjectNode> more = new ArrayList<>(blocks);
        more.add(block);
        return new ApiReply(more, usage, status, headers, errorType, message, fault, delay);
    }

    /**
     * Sets what the answer uses.
     *
     * @param counts the tokens
     * @return a new answer
     */
    public ApiReply usage(Usage counts) {
        return new ApiReply(blocks, counts, status, headers, errorType, message, fault, delay);
    }

    /**
     * Adds a header to the answer.
     *
     * @param name its name
     * @param value its value
     * @return a new answer
     */
    public ApiReply header(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new ApiReply(blocks, usage, status, more, errorType, message, fault, delay);
    }

    /**
     * Adds the header {@code retry-after}.
     *
     * @param seconds how long to wait
     * @return a new answer
     */
    public ApiReply retryAfter(int seconds) {
        return header("retry-after", Integer.toString(seconds));
    }

    /**
     * Has the answer come later.
     *
     * @param wait how much later
     * @return a new answer
     */
    public ApiReply after(Duration wait) {
        return new ApiReply(blocks, usage, status, headers, errorType, message, fault, wait);
    }

    /**
     * Cuts the connection in the middle of the stream. An answer that is not streamed comes whole.
     *
     * @return a new answer
     */
    public ApiReply dropped() {
        return faulty(Fault.DROP);
    }

    /**
     * Ends the stream with an error event. An answer that is not streamed comes whole.
     *
     * @return a new answer
     */
    public ApiReply endedByErrorEvent() {
        return faulty(Fault.SSE_ERROR);
    }

    /**
     * Stops the stream in the middle and leaves it open. An answer that is not streamed comes whole.
     *
     * @return a new answer
     */
    public ApiReply stalled() {
        return faulty(Fault.STALL);
    }

    /**
     * Has the model refuse to go on (stop reason {@code refusal}).
     *
     * @return a new answer
     */
    public ApiReply refused() {
        return faulty(Fault.REFUSAL);
    }

    private ApiReply faulty(Fault kind) {
        return new ApiReply(blocks, usage, status, headers, errorType, message, kind, delay);
    }

    private static String errorType(int status) {
        return switch (status) {
            case 400 -> "invalid_request_error";
            case 401 -> "authentication_error";
            case 403 -> "permission_error";
            case 404 -> "not_found_error";
            case 413 -> "request_too_large";
            case 429 -> "rate_limit_error";
            case 529 -> "overloaded_error";
            default -> "api_error";
        };
    }
}
