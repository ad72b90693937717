package io.maestro.docker.internal;

import io.maestro.docker.DockerException;
import io.maestro.docker.DockerUnavailableException;
import io.maestro.internal.Uninterrupted;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * The one time limit of all that is done to close something. It is handed down: calls of the client, also those of threads that
 * are begun meanwhile, end before it; a step that waits for something else is no longer waited for when it is over. Safe for use
 * by several threads.
 */
public final class ClosingTime {
    /** In terms of {@link System#nanoTime()}, for what closes and the threads that it begins. */
    private final InheritableThreadLocal<@Nullable Long> end = new InheritableThreadLocal<>();

    /**
     * Does something that nobody interrupts, and waits for it.
     *
     * @param what is closed, for the message
     * @throws DockerUnavailableException when it has not ended in time
     */
    public void within(Duration limit, String what, Runnable action) {
        List<RuntimeException> failures = all(limit, what, List.of(action));
        if (!failures.isEmpty()) {
            throw failures.get(0);
        }
    }

    /** Does several things at the same time; each failure is in the result, and so is each that has not ended in time. */
    public List<RuntimeException> all(Duration limit, String what, List<? extends Runnable> actions) {
        Long outer = end.get();
        long now = System.nanoTime();
        long nanos = outer == null ? limit.toNanos() : Math.min(limit.toNanos(), outer - now);
        List<FutureTask<Boolean>> tasks = new ArrayList<>();
        for (Runnable action : actions) {
            FutureTask<Boolean> task = new FutureTask<>(() -> {
                // A little less, so that what a call is cut short for is still said by whoever made it.
                end.set(now + nanos - nanos / 8);
                action.run();
                return true;
            });
            Thread thread = new Thread(task, "maestro-closing");
            thread.setDaemon(true);
            thread.start();
            tasks.add(task);
        }
        List<RuntimeException> failures = new ArrayList<>();
        for (FutureTask<Boolean> task : tasks) {
            if (!Uninterrupted.isEnded(task, Duration.ofNanos(Math.max(0, now + nanos - System.nanoTime())))) {
                failures.add(new DockerUnavailableException(
                        what + " was not closed within "
                                + Duration.ofNanos(nanos).toMillis() / 1000.0
                                + " s; see whether the engine hangs; what is left is removed by the next start of this"
                                + " project",
                        null));
                continue;
            }
            try {
                task.get();
            } catch (ExecutionException e) {
                if (e.getCause() instanceof Error error) {
                    throw error;
                }
                failures.add(
                        e.getCause() instanceof RuntimeException failure
                                ? failure
                                : new DockerException(what + " could not be closed", e.getCause()));
            } catch (InterruptedException e) {
                throw new IllegalStateException("what has ended is not waited for", e);
            }
        }
        return failures;
    }

    /** How long something may take at most: as long as it wants, or what is left of the time; 0 when nothing is. */
    public Duration left(Duration wanted) {
        Long until = end.get();
        if (until == null) {
            return wanted;
        }
        long left = Math.max(0, until - System.nanoTime());
        return left < wanted.toNanos() ? Duration.ofNanos(left) : wanted;
    }
}
