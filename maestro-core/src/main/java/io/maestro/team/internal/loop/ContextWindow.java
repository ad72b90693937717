package io.maestro.team.internal.loop;

import io.maestro.llm.Usage;
import java.util.function.Supplier;

/**
 * Keeps a conversation within what a model can read. How many characters make a token is learned from the model's own
 * counts. Used by one thread at a time.
 */
final class ContextWindow {
    private static final double USUAL = 4;
    private static final double LEAST = 0.5;
    private static final double MOST = 8;

    private final Conversation conversation;
    private final Supplier<String> todos;
    /** The characters that are sent beside the messages: system prompt and tools. */
    private final long fixed;

    private double charactersPerToken = USUAL;
    private long limit;
    /** Characters that were sent last, and that the model has read last. */
    private long sent;

    private long understood;

    /**
     * Starts with the usual rate.
     *
     * @param tokens how many tokens may be sent
     */
    ContextWindow(LoopInput input, int tokens) {
        this.conversation = input.conversation();
        this.todos = input.todos();
        this.limit = tokens;
        this.fixed = conversation.system().length()
                + MessageSizes.ofTools(input.tools().list());
    }

    /** How many tokens would be sent now, about. */
    long tokens() {
        return Math.round((fixed + MessageSizes.of(conversation.messages())) / charactersPerToken);
    }

    /** Makes the conversation fit. It becomes half as long at once, so that a prompt cache stays valid for many turns. */
    void fit() {
        if (tokens() > limit) {
            double characters = limit * charactersPerToken;
            double always = fixed + MessageSizes.of(conversation.messages().get(0));
            shrinkTo((characters + Math.min(characters, always)) / 2);
        }
        sent = fixed + MessageSizes.of(conversation.messages());
    }

    /** What an answer has used says how long a token is. */
    void learn(Usage usage) {
        understood = sent;
        long read = usage.inputTokens() + usage.cacheReadTokens() + usage.cacheWriteTokens();
        if (read > 0) {
            charactersPerToken = Math.max(LEAST, Math.min(MOST, (double) sent / read));
        }
    }

    /** Makes the conversation half as long, because the model could not read it; false when that is not possible. */
    boolean halve() {
        double half = (fixed + MessageSizes.of(conversation.messages())) / 2.0;
        // The window is smaller than was thought: it holds what the model has read last, and not what it has refused.
        limit = Math.min(limit, Math.round(Math.max((double) understood, half) / charactersPerToken));
        boolean shorter = shrinkTo(half);
        sent = fixed + MessageSizes.of(conversation.messages());
        return shorter;
    }

    private boolean shrinkTo(double characters) {
        return conversation.compact(Math.max(0, Math.round(characters) - fixed), todos.get());
    }
}
