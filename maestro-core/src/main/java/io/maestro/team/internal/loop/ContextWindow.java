package io.maestro.team.internal.loop;

import io.maestro.llm.Usage;
import java.util.function.Supplier;

/**
 * Keeps a conversation within what a model can read. How many characters make a token is learned from the model's own
 * counts. All that it goes by is in the conversation, and so in the record: the next process sends what this one would have
 * sent. Used by one thread at a time.
 */
final class ContextWindow {
    private static final double USUAL = 4;
    private static final double LEAST = 0.5;
    private static final double MOST = 8;

    private final ModelConversation conversation;
    private final Supplier<String> todos;
    /** The characters that are sent beside the messages: system prompt and tools. */
    private final long fixed;

    private final int most;

    /**
     * What a model has read.
     *
     * @param characters of the messages that it has answered last; 0 before its first answer
     * @param counted of those that it has counted last; 0 before its first count
     * @param tokens how many it has counted, with system prompt and tools
     */
    record Read(long characters, long counted, long tokens) {
        static final Read NOTHING = new Read(0, 0, 0);

        /** Messages of so many characters were answered. */
        Read then(long more, Usage usage) {
            long read = usage.inputTokens() + usage.cacheReadTokens() + usage.cacheWriteTokens();
            return read > 0 ? new Read(more, more, read) : new Read(more, counted, tokens);
        }
    }

    /**
     * A window on a conversation as it stands.
     *
     * @param tokens how many tokens may be sent
     */
    ContextWindow(LoopInput input, int tokens) {
        this.conversation = input.conversation();
        this.todos = input.texts().todos();
        this.most = tokens;
        this.fixed = conversation.system().length()
                + MessageSizes.ofTools(input.tools().list());
    }

    /** Less than what was set when the model could not read that much. */
    private long limit() {
        return Math.min(most, conversation.mostTokens());
    }

    private double charactersPerToken() {
        Read read = conversation.read();
        return read.tokens() == 0
                ? USUAL
                : Math.max(LEAST, Math.min(MOST, (double) (fixed + read.counted()) / read.tokens()));
    }

    private long characters() {
        return fixed + MessageSizes.of(conversation.messages());
    }

    /** Makes the conversation fit. It becomes half as long at once, so that a prompt cache stays valid for many turns. */
    void fit() {
        if (Math.round(characters() / charactersPerToken()) > limit()) {
            double characters = limit() * charactersPerToken();
            double always = fixed + MessageSizes.of(conversation.messages().get(0));
            shrinkTo((characters + Math.min(characters, always)) / 2, conversation.mostTokens());
        }
    }

    /** Makes the conversation half as long, because the model could not read it; false when that is not possible. */
    boolean halve() {
        double half = characters() / 2.0;
        // The window is smaller than was thought: it holds what the model has read last, and not what it has refused.
        long understood = conversation.read().characters() == 0
                ? 0
                : fixed + conversation.read().characters();
        long held = Math.round(Math.max((double) understood, half) / charactersPerToken());
        return shrinkTo(half, Math.min(limit(), held));
    }

    private boolean shrinkTo(double characters, long mostTokens) {
        return conversation.compact(Math.max(0, Math.round(characters) - fixed), todos.get(), mostTokens);
    }
}
