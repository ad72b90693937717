package io.maestro.internal;

/** Whether the JVM is ending: its shutdown hooks run, which end the commands of stories. */
public final class JvmShutdown {
    private JvmShutdown() {}

    /**
     * Whether a shutdown has begun.
     *
     * @return true for the rest of the JVM's life
     */
    public static boolean hasBegun() {
        // Only the JVM knows; it says so by refusing.
        Thread probe = new Thread(() -> {}, "maestro-shutdown-probe");
        try {
            Runtime.getRuntime().addShutdownHook(probe);
            Runtime.getRuntime().removeShutdownHook(probe);
            return false;
        } catch (IllegalStateException e) {
            return true;
        }
    }
}
