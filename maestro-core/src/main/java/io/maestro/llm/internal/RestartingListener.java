package io.maestro.llm.internal;

import io.maestro.llm.LlmStreamListener;

/** Tells a listener that what it has heard is void, when a question is asked again. Used by one thread at a time. */
public final class RestartingListener implements LlmStreamListener {
    private final LlmStreamListener listener;
    private boolean told;

    /**
     * Has told nothing yet.
     *
     * @param listener is told
     */
    public RestartingListener(LlmStreamListener listener) {
        this.listener = listener;
    }

    /** The question is asked, for the first time or again. */
    public void begin() {
        if (told) {
            onRestart();
        }
    }

    @Override
    public void onText(String text) {
        told = true;
        listener.onText(text);
    }

    @Override
    public void onRestart() {
        told = false;
        listener.onRestart();
    }
}
