package io.maestro.event;

/**
 * Watches stories while they run. Called on the agent's own threads, so it should be quick; one that throws is logged and
 * otherwise ignored, and one that leaves the thread interrupted makes what runs there fail. Several stories may call it at the
 * same time, and so may the tools of one story that run side by side.
 */
@FunctionalInterface
public interface MaestroListener {
    /**
     * Something has happened.
     *
     * @param event what; immutable, and free of secrets
     */
    void onEvent(MaestroEvent event);
}
