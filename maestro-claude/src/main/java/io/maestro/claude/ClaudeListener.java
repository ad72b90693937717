package io.maestro.claude;

/** Watches a run. */
@FunctionalInterface
public interface ClaudeListener {
    /**
     * Takes note of an event. Called on the thread that reads the CLI's output, which waits for it.
     *
     * @param event what the CLI has said
     */
    void onEvent(ClaudeEvent event);
}
