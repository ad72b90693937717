package io.maestro.testkit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.maestro.llm.LlmContent;
import io.maestro.llm.LlmResponse.StopReason;
import io.maestro.llm.Usage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a scripted model answers in one turn: text and calls of tools in any order, nothing at all, or a failure.
 * Immutable: the methods that add something return a new reply.
 */
public final class Reply {
    /** Keys are sorted, because the order of {@link Map#of} changes from one JVM to the next. */
    private static final ObjectMapper JSON =
            new ObjectMapper().configure(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS, true);

    /** Tool calls stand here without an id; the script gives it when the reply is played. */
    private final List<LlmContent> content;

    /** Null for what fits the content. */
    private final @Nullable StopReason stopReason;

    private final @Nullable Usage usage;
    private final @Nullable RuntimeException failure;
    private final boolean hangs;

    private Reply(
            List<LlmContent> content,
            @Nullable StopReason stopReason,
            @Nullable Usage usage,
            @Nullable RuntimeException failure,
            boolean hangs) {
        this.content = List.copyOf(content);
        this.stopReason = stopReason;
        this.usage = usage;
        this.failure = failure;
        this.hangs = hangs;
    }

    /**
     * The model says nothing: an answer without content.
     *
     * @return a reply to which parts can be added
     */
    public static Reply nothing() {
        return new Reply(List.of(), null, Usage.NONE, null, false);
    }

    /**
     * The model writes a text.
     *
     * @param text what it writes
     * @return the reply
     */
    public static Reply text(String text) {
        return nothing().andText(text);
    }

    /**
     * The model calls a tool.
     *
     * @param name the tool's name; it need not exist
     * @param input the arguments: JSON types only
     * @return the reply
     * @throws IllegalArgumentException when the arguments cannot be written as JSON
     */
    public static Reply toolCall(String name, Map<String, ?> input) {
        return nothing().andToolCall(name, input);
    }

    /**
     * The model calls a tool with arguments that may be anything, broken JSON too.
     *
     * @param name the tool's name; it need not exist
     * @param input the arguments, passed on as they are
     * @return the reply
     */
    public static Reply rawToolCall(String name, String input) {
        return nothing().andRawToolCall(name, input);
    }

    /**
     * The client throws instead of answering.
     *
     * @param failure for example an {@link io.maestro.llm.LlmUnavailableException}; thrown as it is, which leaves the
     *     script intact
     * @return the reply
     */
    public static Reply failure(RuntimeException failure) {
        return new Reply(List.of(), null, Usage.NONE, Objects.requireNonNull(failure, "failure"), false);
    }

    /**
     * The model never answers: the caller waits until it is interrupted, and then gets an
     * {@link io.maestro.llm.LlmInterruptedException}.
     *
     * @return the reply
     */
    public static Reply hang() {
        return new Reply(List.of(), null, Usage.NONE, null, true);
    }

    /**
     * Adds a text.
     *
     * @param text what the model writes
     * @return a new reply
     */
    public Reply andText(String text) {
        return and(new LlmContent.Text(text));
    }

    /**
     * Adds a call of a tool.
     *
     * @param name the tool's name; it need not exist
     * @param input the arguments: JSON types only
     * @return a new reply
     * @throws IllegalArgumentException when the arguments cannot be written as JSON
     */
    public Reply andToolCall(String name, Map<String, ?> input) {
        try {
            return andRawToolCall(name, JSON.writeValueAsString(input));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(
                    "the arguments of the scripted call of " + name + " are not JSON: " + e.getOriginalMessage()
                            + "; use maps, lists, strings, numbers and booleans",
                    e);
        }
    }

    /**
     * Adds a call of a tool with arguments that may be anything, broken JSON too.
     *
     * @param name the tool's name; it need not exist
     * @param input the arguments, passed on as they are
     * @return a new reply
     */
    public Reply andRawToolCall(String name, String input) {
        return and(new LlmContent.ToolUse("", name, input));
    }

    /**
     * Sets why the model stopped; without it, the reason that fits the content.
     *
     * @param reason for example {@link StopReason#MAX_TOKENS}
     * @return a new reply
     */
    public Reply stopReason(StopReason reason) {
        return new Reply(content, Objects.requireNonNull(reason, "reason"), usage, failure, hangs);
    }

    /**
     * Sets what the reply costs; without it, {@link Usage#NONE}.
     *
     * @param tokens the cost; null for a model that does not say it
     * @return a new reply
     */
    public Reply usage(@Nullable Usage tokens) {
        return new Reply(content, stopReason, tokens, failure, hangs);
    }

    private Reply and(LlmContent part) {
        if (failure != null || hangs) {
            throw new IllegalStateException("a reply that fails or hangs has no content");
        }
        List<LlmContent> more = new ArrayList<>(content);
        more.add(part);
        return new Reply(more, stopReason, usage, null, false);
    }

    List<LlmContent> content() {
        return content;
    }

    StopReason stopReason() {
        if (stopReason != null) {
            return stopReason;
        }
        boolean callsTools = content.stream().anyMatch(LlmContent.ToolUse.class::isInstance);
        return callsTools ? StopReason.TOOL_USE : StopReason.END_TURN;
    }

    @Nullable
    Usage usage() {
        return usage;
    }

    Optional<RuntimeException> failure() {
        return Optional.ofNullable(failure);
    }

    boolean hangs() {
        return hangs;
    }

    /** What it does, in a few words, for messages. */
    @Override
    public String toString() {
        if (failure != null) {
            return "failure " + failure.getClass().getSimpleName();
        }
        if (hangs) {
            return "hang";
        }
        if (content.isEmpty()) {
            return "nothing";
        }
        return String.join(
                " + ",
                content.stream()
                        .map(part -> part instanceof LlmContent.ToolUse use ? "call of " + use.name() : "text")
                        .toList());
    }
}
