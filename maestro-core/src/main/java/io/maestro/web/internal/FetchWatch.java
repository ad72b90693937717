package io.maestro.web.internal;

import io.maestro.internal.Threads;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Ends a fetch in its time. The work has a thread of its own, because looking a name up hears no interrupt. When its time is over,
 * or the caller is interrupted, its socket is closed, which ends whatever reads or writes it, and the caller goes on.
 */
final class FetchWatch {
    private static final ThreadFactory THREADS = Threads.platformFactory("maestro-web");

    private final AtomicReference<@Nullable Socket> open = new AtomicReference<>();
    private volatile boolean over;

    private FetchWatch() {}

    /** Work that says which socket it uses, and asks now and then whether to stop. */
    interface SocketWork<T> {
        T run(FetchWatch watch) throws FetchException, IOException;
    }

    /**
     * Runs work and waits for it.
     *
     * @throws FetchException when it fails or takes longer than its limit
     * @throws InterruptedException when the calling thread is interrupted
     */
    static <T> T run(SocketWork<T> work, Duration limit) throws FetchException, InterruptedException {
        FetchWatch watch = new FetchWatch();
        FutureTask<T> task = new FutureTask<>(() -> work.run(watch));
        THREADS.newThread(task).start();
        try {
            return task.get(TimeUnit.NANOSECONDS.convert(limit), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new FetchException("it took longer than " + limit.toMillis() + " ms, and was given up");
        } catch (ExecutionException e) {
            throw failure(e.getCause());
        } finally {
            watch.end();
        }
    }

    private static FetchException failure(@Nullable Throwable cause) {
        if (cause instanceof FetchException refused) {
            return refused;
        }
        if (cause instanceof IOException) {
            return new FetchException(cause.getMessage() == null ? cause.toString() : cause.getMessage());
        }
        if (cause instanceof RuntimeException wrong) {
            throw wrong;
        }
        if (cause instanceof Error broken) {
            throw broken;
        }
        throw new IllegalStateException(cause);
    }

    /** Says which socket is used from now on. */
    void opened(Socket socket) throws IOException {
        open.set(socket);
        if (over) {
            end();
            throw new IOException("the fetch is over");
        }
    }

    /** Whether nobody waits for the work any more. */
    boolean isOver() {
        return over;
    }

    private void end() {
        over = true;
        Socket socket = open.getAndSet(null);
        if (socket != null) {
            try {
                socket.close();
            } catch (IOException e) {
                // Nobody uses it any more.
            }
        }
    }
}
