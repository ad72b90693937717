package io.maestro.event;

/**
 * Watches stories while they run. Called by one thread of Maestro's own at a time, in the order in which things happened; agents
 * wait for no listener. When work ends for whoever waits for it, its events have been told, unless a listener takes longer than
 * 5 seconds. For one that is slow 10,000 events are kept, and {@link MaestroEvent.EventsLost} says how many more there were. One
 * that throws is logged and otherwise ignored. A listener that was given to several builders or submissions is called for each
 * of them, and so perhaps by several threads.
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
