package io.maestro.files.internal;

import io.maestro.internal.RawName;
import io.maestro.internal.Threads;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.ClosedDirectoryStreamException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Opens files on a thread that can be left behind. Whoever opens a pipe waits for somebody at its other end, hears no interrupt,
 * and Java cannot open without waiting: between the look at a file and its opening an agent can put a pipe in its place. What
 * does not open within a limit is refused; should it open later, it is closed. For use by one thread.
 */
class Opener implements AutoCloseable {
    static final Duration LIMIT = Duration.ofSeconds(10);

    /** How long an interrupted thread waits for a file to open. */
    static final long GRACE = TimeUnit.SECONDS.toNanos(1);

    private static final Set<OpenOption> BOTH =
            Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);

    /** After so long it may be a pipe. */
    static final long PATIENCE = TimeUnit.MILLISECONDS.toNanos(500);

    /** So many threads are left behind; then nothing is opened any more. */
    private static final int MOST_STUCK = 4;

    private final long limit;
    private @Nullable ThreadPoolExecutor threads;
    private int stuck;

    Opener() {
        this(LIMIT);
    }

    Opener(Duration limit) {
        this.limit = limit.toNanos();
    }

    /** Opens something, or fails. */
    @FunctionalInterface
    interface Opening<C extends Closeable> {
        C open() throws IOException;
    }

    /**
     * Opens a file or directory. An interrupt does not end the wait at once, for those who clean up after one open files, too.
     *
     * @param release opens the same for reading and writing, if it is a pipe: whoever does that does not wait on Linux, and is the
     *     other end for whoever does
     * @param onStuck is run when it does not open
     * @param atLast is closed when it opens, or fails, after that
     * @throws FileSystemException when it does not open in time
     */
    <C extends Closeable> C open(String name, Opening<C> opening, Runnable release, Runnable onStuck, Closeable atLast)
            throws IOException {
        if (stuck >= MOST_STUCK) {
            throw isPipe(name);
        }
        CompletableFuture<C> opened = new CompletableFuture<>();
        threads().execute(() -> open(opening, opened, atLast));
        boolean interrupted = false;
        long end = System.nanoTime() + limit;
        try {
            while (true) {
                try {
                    return opened.get(Math.min(end - System.nanoTime(), PATIENCE), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                    end = Math.min(end, System.nanoTime() + GRACE);
                } catch (TimeoutException e) {
                    if (System.nanoTime() < end) {
                        threads().execute(release);
                    } else if (opened.completeExceptionally(e)) {
                        stuck++;
                        onStuck.run();
                        throw isPipe(name);
                    }
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

    static IOException failure(ExecutionException e) {
        if (e.getCause() instanceof IOException failure) {
            return failure;
        }
        if (e.getCause() instanceof RuntimeException failure) {
            throw failure;
        }
        throw new IllegalStateException(e.getCause());
    }

    private static <C extends Closeable> void open(Opening<C> opening, CompletableFuture<C> opened, Closeable atLast) {
        try {
            C made = opening.open();
            if (!opened.complete(made)) {
                made.close();
                atLast.close();
            }
        } catch (IOException | RuntimeException e) {
            if (!opened.completeExceptionally(e)) {
                closeQuietly(atLast);
            }
        }
    }

    private static void closeQuietly(Closeable closeable) {
        try {
            closeable.close();
        } catch (IOException e) {
            // Nobody waits for it any more.
        }
    }

    /**
     * Opens an entry for reading and writing, if it is a pipe now. On Linux that does not wait, and lets go who waits for the
     * other end.
     */
    static void release(DirectoryStream<Path> stream, Path directory, Path entry) {
        try {
            Path full = directory.resolve(entry);
            SecureDirectoryStream<Path> secure =
                    stream instanceof SecureDirectoryStream<Path> relative ? relative : null;
            BasicFileAttributeView view = secure == null
                    ? Files.getFileAttributeView(full, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    : secure.getFileAttributeView(entry, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
            if (view != null && view.readAttributes().isOther()) {
                (secure == null ? Files.newByteChannel(full, BOTH) : secure.newByteChannel(entry, BOTH)).close();
            }
        } catch (IOException | ClosedDirectoryStreamException e) {
            // Then it is waited for to the limit.
        }
    }

    static FileSystemException isPipe(String name) {
        return new FileSystemException(
                RawName.shown(name), null, "It does not open, as a pipe whose other end nobody has open");
    }

    /** Closes and refuses what cannot be read from any place: a pipe that did open, or a terminal. */
    static SeekableByteChannel requireFile(String name, SeekableByteChannel channel) throws IOException {
        try {
            channel.position();
            return channel;
        } catch (IOException e) {
            channel.close();
            throw new FileSystemException(RawName.shown(name), null, "No regular file");
        }
    }

    private ThreadPoolExecutor threads() {
        if (threads == null) {
            threads = new ThreadPoolExecutor(
                    0,
                    Integer.MAX_VALUE,
                    1,
                    TimeUnit.SECONDS,
                    new SynchronousQueue<>(),
                    Threads.platformFactory("maestro-open"));
        }
        return threads;
    }

    /** Threads that are left behind end when what they wait for opens. */
    @Override
    public void close() {
        if (threads != null) {
            threads.shutdown();
        }
    }
}
