package io.maestro.exec.internal;

/** Does something when the JVM is shut down before {@link #remove}. */
public final class ShutdownHook {
    private final Thread thread;

    /**
     * Registers it.
     *
     * @param task what to do
     */
    public ShutdownHook(Runnable task) {
        thread = new Thread(task, "maestro-exec-shutdown");
        try {
            Runtime.getRuntime().addShutdownHook(thread);
        } catch (IllegalStateException e) {
            // The JVM is being shut down already, and a hook of the host wants to run a command, to clean up: let it.
        }
    }

    /** Takes it back. */
    public void remove() {
        try {
            Runtime.getRuntime().removeShutdownHook(thread);
        } catch (IllegalStateException e) {
            // The JVM is being shut down: the hook runs or has run, and there is nothing left to take back.
        }
    }
}
