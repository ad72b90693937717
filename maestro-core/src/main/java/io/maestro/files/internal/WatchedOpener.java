package io.maestro.files.internal;

import io.maestro.internal.Threads;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * For work that opens many files: all of it is on one thread that can be left behind, which opens them itself. To hand each file
 * over to another thread takes longer than to read it.
 */
final class WatchedOpener extends Opener {
    private final AtomicReference<@Nullable Opened> current = new AtomicReference<>();

    /** What is being opened. */
    private record Opened(String name, Runnable release, long since) {}

    private static final Opened NOTHING_ANY_MORE = new Opened("", () -> {}, 0);

    private WatchedOpener() {}

    /** Work with an opener. */
    @FunctionalInterface
    interface OpenerWork<T> {
        T with(Opener opener) throws IOException;
    }

    /**
     * Does work on a thread of its own and waits for it. An interrupt is passed on to that thread; the status of this one stays.
     *
     * @throws FileSystemException when a file does not open; the work is left behind, and ends should the file open later
     */
    static <T> T run(OpenerWork<T> work) throws IOException {
        return run(LIMIT, work);
    }

    static <T> T run(Duration limit, OpenerWork<T> work) throws IOException {
        WatchedOpener opener = new WatchedOpener();
        FutureTask<T> task = new FutureTask<>(() -> work.with(opener));
        Thread thread = Threads.platformFactory("maestro-files").newThread(task);
        thread.start();
        boolean interrupted = false;
        long longest = limit.toNanos();
        try {
            while (true) {
                try {
                    return task.get(Math.min(PATIENCE, longest), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                    longest = Math.min(longest, GRACE);
                    thread.interrupt();
                } catch (TimeoutException e) {
                    opener.requireOpening(longest);
                }
            }
        } catch (ExecutionException e) {
            throw failure(e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Lets go of what may be a pipe. */
    private void requireOpening(long longest) throws FileSystemException {
        Opened opened = current.get();
        if (opened == null || System.nanoTime() - opened.since() < Math.min(PATIENCE, longest)) {
            return;
        }
        if (System.nanoTime() - opened.since() < longest) {
            // On yet another thread: should there be another file by now, it might wait as well.
            Threads.platformFactory("maestro-open").newThread(opened.release()).start();
        } else if (current.compareAndSet(opened, NOTHING_ANY_MORE)) {
            throw isPipe(opened.name());
        }
    }

    @Override
    <C extends Closeable> C open(String name, Opening<C> opening, Runnable release, Runnable onStuck, Closeable atLast)
            throws IOException {
        Opened opened = new Opened(name, release, System.nanoTime());
        if (!current.compareAndSet(null, opened)) {
            throw leftBehind();
        }
        C made;
        try {
            made = opening.open();
        } catch (IOException | RuntimeException e) {
            requireWaitedFor(opened);
            throw e;
        }
        try {
            requireWaitedFor(opened);
        } catch (CancellationException e) {
            made.close();
            throw e;
        }
        return made;
    }

    private void requireWaitedFor(Opened opened) {
        if (!current.compareAndSet(opened, null)) {
            throw leftBehind();
        }
    }

    private static CancellationException leftBehind() {
        return new CancellationException("nobody waits for it any more");
    }
}
