package io.maestro.claude.testing;

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

    /** The model says a text, and ends its turn unless it calls a tool, too. */
    public static ApiReply text(String text) {
        return of(List.of(), Fault.NONE).andText(text);
    }

    /** The model calls a tool; the id is made up when the answer is sent. */
    public static ApiReply use(String tool, Object... input) {
        return of(List.of(), Fault.NONE).andUse(tool, input);
    }

    /** The API refuses: 400, 401, 403, 404, 413, 429, 500, 529 and so on, with the type that belongs to it. */
    public static ApiReply error(int status, String message) {
        return new ApiReply(
                List.of(), Usage.NONE, status, Map.of(), errorType(status), message, Fault.NONE, Duration.ZERO);
    }

    /** The API takes the request and never answers. */
    public static ApiReply hang() {
        return of(List.of(), Fault.HANG);
    }

    public ApiReply andText(String text) {
        return and(JSON.createObjectNode().put("type", "text").put("text", text));
    }

    public ApiReply andThinking(String text) {
        return and(JSON.createObjectNode()
                .put("type", "thinking")
                .put("thinking", text)
                .put("signature", "c3R1Yg=="));
    }

    /** Names and values in turn; an id is made up. */
    public ApiReply andUse(String tool, Object... input) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < input.length; i += 2) {
            map.put((String) input[i], input[i + 1]);
        }
        return andUseWithId("", tool, map);
    }

    /** With an id of the test's own; empty for one that is made up. */
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

    public ApiReply usage(Usage counts) {
        return new ApiReply(blocks, counts, status, headers, errorType, message, fault, delay);
    }

    public ApiReply header(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new ApiReply(blocks, usage, status, more, errorType, message, fault, delay);
    }

    /** Seconds, as a header of an error. */
    public ApiReply retryAfter(int seconds) {
        return header("retry-after", Integer.toString(seconds));
    }

    /** The answer comes later. */
    public ApiReply after(Duration wait) {
        return new ApiReply(blocks, usage, status, headers, errorType, message, fault, wait);
    }

    /** The connection is cut in the middle of the stream; an answer that is not streamed comes whole. */
    public ApiReply dropped() {
        return faulty(Fault.DROP);
    }

    /** The stream ends in an error event; an answer that is not streamed comes whole. */
    public ApiReply endedByErrorEvent() {
        return faulty(Fault.SSE_ERROR);
    }

    /** The stream stops in the middle and stays open; an answer that is not streamed comes whole. */
    public ApiReply stalled() {
        return faulty(Fault.STALL);
    }

    /** The model refuses to go on. */
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
