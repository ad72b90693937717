package io.maestro.internal;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Does what must be done to the end even when the calling thread is told to stop, before or meanwhile: an interrupt would end
 * the programs that it runs. The interrupt is there again afterwards.
 */
public final class Undisturbed {
    private Undisturbed() {}

    /** A thread that nobody interrupts, because nobody knows it. */
    private static final class Worker<T> extends Thread {
        private final Supplier<T> action;
        private final AtomicReference<@Nullable T> result = new AtomicReference<>();
        private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

        Worker(Supplier<T> action) {
            super("maestro-undisturbed");
            setDaemon(true);
            setContextClassLoader(currentThread().getContextClassLoader());
            this.action = action;
        }

        @Override
        public void run() {
            try {
                result.set(action.get());
            } catch (RuntimeException | Error e) {
                failure.set(e);
            }
        }

        T await() {
            boolean interrupted = false;
            while (true) {
                try {
                    join();
                    break;
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                currentThread().interrupt();
            }
            return outcome();
        }

        private T outcome() {
            Throwable thrown = failure.get();
            if (thrown instanceof Error error) {
                throw error;
            }
            if (thrown instanceof RuntimeException exception) {
                throw exception;
            }
            T value = result.get();
            if (value == null) {
                throw new IllegalStateException("an action without a result");
            }
            return value;
        }
    }

    /**
     * Does something on a thread of its own, or on this one when it is such a thread, and waits for its end.
     *
     * @param action gives a result that is not null; what it throws is thrown
     * @return its result
     */
    public static <T> T get(Supplier<T> action) {
        if (Thread.currentThread() instanceof Worker) {
            return action.get();
        }
        Worker<T> worker = new Worker<>(action);
        worker.start();
        return worker.await();
    }

    /**
     * Does something without a result.
     *
     * @param action what it throws is thrown
     */
    public static void run(Runnable action) {
        get(() -> {
            action.run();
            return true;
        });
    }
}
