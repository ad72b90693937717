package io.maestro.docker.internal;

import java.util.function.Supplier;

/** Does what must be done even when the thread was told to stop: an interrupted thread starts no program. */
public final class Uninterrupted {
    private Uninterrupted() {}

    /** Runs with the interrupt set aside; it is there again afterwards. */
    public static <T> T get(Supplier<T> action) {
        boolean interrupted = Thread.interrupted();
        try {
            return action.get();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void run(Runnable action) {
        get(() -> {
            action.run();
            return true;
        });
    }
}
