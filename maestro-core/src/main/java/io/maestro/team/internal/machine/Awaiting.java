package io.maestro.team.internal.machine;

import io.maestro.error.MaestroException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for work, which still has a result when it is cancelled, and for times. */
public final class Awaiting {
    private Awaiting() {}

    /** Waits for the end; when the caller is interrupted, the work is cancelled and its end is awaited all the same. */
    public static <R> R end(CompletableFuture<R> done, Runnable cancel) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return done.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                    cancel.run();
                } catch (ExecutionException e) {
                    throw rethrown(e.getCause() == null ? e : e.getCause());
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Waits for the end, but not longer than a time; empty when the work goes on. */
    public static <R> Optional<R> end(CompletableFuture<R> done, Duration limit) throws InterruptedException {
        try {
            return Optional.of(done.get(TimeUnit.NANOSECONDS.convert(limit), TimeUnit.NANOSECONDS));
        } catch (TimeoutException e) {
            return Optional.empty();
        } catch (ExecutionException e) {
            throw rethrown(e.getCause() == null ? e : e.getCause());
        }
    }

    /**
     * Waits for the end, however it is and although the thread is interrupted.
     *
     * @param deadline in terms of {@link System#nanoTime()}
     * @return false when it has not come in time
     */
    public static boolean isEnded(CompletableFuture<?> done, long deadline) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    done.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
                    return true;
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (TimeoutException e) {
                    return false;
                } catch (ExecutionException | CancellationException e) {
                    return true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Completed when a time is over, however long it is; holds no thread until then. */
    public static CompletableFuture<?> after(Duration time) {
        return CompletableFuture.runAsync(
                () -> {},
                CompletableFuture.delayedExecutor(TimeUnit.MILLISECONDS.convert(time), TimeUnit.MILLISECONDS));
    }

    /** What a future that has failed was completed with. */
    public static Throwable failureOf(CompletableFuture<?> done) {
        try {
            done.join();
            return new IllegalStateException("it has not failed");
        } catch (CompletionException | CancellationException e) {
            return e.getCause() == null ? e : e.getCause();
        }
    }

    private static RuntimeException rethrown(Throwable failure) {
        if (failure instanceof MaestroException known) {
            return known;
        }
        return new MaestroException("it ended by a fault in Maestro itself: " + failure, failure);
    }
}
