package io.maestro.team.internal.loop;

import io.maestro.internal.Threads;
import io.maestro.team.internal.machine.CancelledException;
import io.maestro.team.internal.machine.StopSignal;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Does several things at the same time. */
final class ParallelCalls {
    /** Longer than the runtime takes to stop a tool, or to leave it behind; what hangs outside of a tool is left behind, too. */
    private static final Duration STOP_LIMIT = Duration.ofSeconds(10);

    private ParallelCalls() {}

    /**
     * Does everything and waits for it. When the calling thread is interrupted to stop, or one thing fails, the others are
     * interrupted; those that do not stop are left behind after a while.
     *
     * @param work each is done once; it returns no null
     * @param atOnce how many at the same time; 1 or more
     * @return what came of each, in the order of the work
     * @param stop without a cause there, an interrupt ends no wait
     * @throws CancelledException when the calling thread is interrupted to stop
     */
    static <T> List<T> run(List<Supplier<T>> work, int atOnce, StopSignal stop) {
        stop.check();
        int width = Math.min(work.size(), atOnce);
        Object[] results = new Object[work.size()];
        if (width <= 1) {
            for (int i = 0; i < results.length; i++) {
                stop.check();
                results[i] = work.get(i).get();
            }
            return list(results);
        }
        ExecutorService threads = Threads.newExecutor("maestro-call");
        try {
            CompletionService<Boolean> workers = new ExecutorCompletionService<>(threads);
            AtomicInteger next = new AtomicInteger();
            ClassLoader loader = Thread.currentThread().getContextClassLoader();
            for (int i = 0; i < width; i++) {
                workers.submit(() -> {
                    Thread.currentThread().setContextClassLoader(loader);
                    for (int mine = next.getAndIncrement();
                            mine < results.length && !threads.isShutdown();
                            mine = next.getAndIncrement()) {
                        results[mine] = work.get(mine).get();
                    }
                    return true;
                });
            }
            for (int i = 0; i < width; i++) {
                next(workers, stop).get();
            }
            return list(results);
        } catch (InterruptedException e) {
            stop(threads);
            Thread.currentThread().interrupt();
            throw new CancelledException();
        } catch (ExecutionException e) {
            stop(threads);
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw new IllegalStateException(e.getCause());
        } finally {
            threads.shutdownNow();
        }
    }

    private static Future<Boolean> next(CompletionService<Boolean> workers, StopSignal stop)
            throws InterruptedException {
        while (true) {
            try {
                return workers.take();
            } catch (InterruptedException e) {
                if (stop.cause().isPresent()) {
                    throw e;
                }
            }
        }
    }

    @SuppressWarnings("unchecked")
    private static <T> List<T> list(Object[] results) {
        return (List<T>) Arrays.asList(results);
    }

    /** What is recorded about the calls is to be in the record before the story goes on or ends. */
    private static void stop(ExecutorService threads) {
        threads.shutdownNow();
        try {
            threads.awaitTermination(STOP_LIMIT.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
