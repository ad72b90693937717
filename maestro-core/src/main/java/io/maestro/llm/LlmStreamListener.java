package io.maestro.llm;

/**
 * Is told what a model writes while it writes it, to show it to somebody. It is called by the thread that asked, so what it
 * does delays the answer; what it throws ends the request and reaches the caller.
 */
@FunctionalInterface
public interface LlmStreamListener {
    /** Listens to nothing. */
    LlmStreamListener NONE = text -> {};

    /**
     * The model wrote more text. All pieces together are the texts of the answer, one after another, unless
     * {@link #onRestart()} comes in between. Calls of tools and reasoning are not told.
     *
     * @param text the next piece; not empty
     */
    void onText(String text);

    /** The answer broke off and the model is asked again: what was told up to here is void. */
    default void onRestart() {}

    /**
     * All text of an answer has been told; what comes now is another one. Told by programs that ask a model by themselves, such as
     * Claude Code; who asks a client gets the answer and is not told.
     */
    default void onEnd() {}

    /**
     * Tells somebody else, too.
     *
     * @param other told after this one
     * @return tells both
     */
    default LlmStreamListener and(LlmStreamListener other) {
        LlmStreamListener first = this;
        return new LlmStreamListener() {
            @Override
            public void onText(String text) {
                first.onText(text);
                other.onText(text);
            }

            @Override
            public void onRestart() {
                first.onRestart();
                other.onRestart();
            }

            @Override
            public void onEnd() {
                first.onEnd();
                other.onEnd();
            }
        };
    }

    /**
     * A client whose every answer is told to this listener while it is written.
     *
     * @param client who is asked
     * @return asks the same model
     */
    default LlmClient attachedTo(LlmClient client) {
        return new ListenedClient(client, this);
    }
}
