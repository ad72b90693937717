package io.maestro.exec.internal;

import io.maestro.exec.ExecProcess;
import io.maestro.exec.ExecResult.Ending;
import io.maestro.internal.Threads;
import io.maestro.internal.Uninterrupted;
import java.io.Closeable;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;

/** A process of the JDK as an {@link ExecProcess}: a thread waits for it and for its time limit. */
public final class RunningProcess implements ExecProcess {
    /** About 70 years: the largest limit that the JDK's arithmetic on deadlines survives. */
    private static final long LONGEST_NANOS = Long.MAX_VALUE / 4;

    /** How long to wait for a process that was ended. */
    private static final Duration KILLED_LIMIT = Duration.ofSeconds(5);

    /** What executors do differently. */
    public interface Hooks {
        /** Called before the input of the command ends, with which many programs exit. */
        default void inputEnds() {}

        /**
         * Ends the command and all that belongs to it; may be called by two threads at once.
         *
         * @param uninterrupted notes an interruption
         */
        void end(Uninterrupted uninterrupted);

        /**
         * Ends what is left of a command that has exited or was ended, and lets go of it.
         *
         * @param uninterrupted notes an interruption
         */
        void afterExit(Uninterrupted uninterrupted);
    }

    private final Process process;
    private final InputStream stdout;
    private final InputStream stderr;
    private final OutputStream stdin;
    private final Hooks hooks;
    private final AtomicReference<Ending> ending = new AtomicReference<>();
    private final CompletableFuture<End> end = new CompletableFuture<>();

    /**
     * Begins to wait.
     *
     * @param process the process
     * @param stdout what the command prints
     * @param stderr what the command prints as errors
     * @param firstInput what it reads before what the caller writes
     * @param limit after how long it is ended
     * @param hooks how
     */
    public RunningProcess(
            Process process, InputStream stdout, InputStream stderr, byte[] firstInput, Duration limit, Hooks hooks) {
        this.process = process;
        this.stdout = stdout;
        this.stderr = stderr;
        this.hooks = hooks;
        ThreadFactory threads = Threads.platformFactory("maestro-exec-process");
        OutputStream input = FedOutput.of(process.getOutputStream(), firstInput, threads);
        this.stdin = new FilterOutputStream(input) {
            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                out.write(bytes, offset, length);
            }

            @Override
            public void close() throws IOException {
                if (isAlive()) {
                    hooks.inputEnds();
                }
                super.close();
            }
        };
        long nanos = nanos(limit);
        threads.newThread(() -> watch(nanos)).start();
    }

    /**
     * A time limit for the JDK.
     *
     * @param limit of any length
     * @return nanoseconds, at most so many that they can be added to a time
     */
    public static long nanos(Duration limit) {
        return limit.compareTo(Duration.ofNanos(LONGEST_NANOS)) < 0 ? limit.toNanos() : LONGEST_NANOS;
    }

    private void watch(long nanos) {
        try (Uninterrupted uninterrupted = new Uninterrupted()) {
            if (process.waitFor(nanos, TimeUnit.NANOSECONDS)) {
                ending.compareAndSet(null, Ending.EXITED);
            } else if (ending.compareAndSet(null, Ending.TIMED_OUT)) {
                hooks.end(uninterrupted);
                if (!process.waitFor(KILLED_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                    process.destroyForcibly();
                }
            } else {
                process.waitFor();
            }
            hooks.afterExit(uninterrupted);
        } catch (InterruptedException e) {
            throw new AssertionError("nobody knows this thread", e);
        } finally {
            Ending how = ending.get();
            OptionalInt code = how == Ending.EXITED ? OptionalInt.of(process.exitValue()) : OptionalInt.empty();
            end.complete(new End(how == null ? Ending.CANCELLED : how, code));
        }
    }

    @Override
    public OutputStream stdin() {
        return stdin;
    }

    @Override
    public InputStream stdout() {
        return stdout;
    }

    @Override
    public InputStream stderr() {
        return stderr;
    }

    @Override
    public boolean isAlive() {
        return !end.isDone();
    }

    @Override
    public Optional<End> await(Duration atMost) {
        try {
            return Optional.of(end.get(nanos(atMost), TimeUnit.NANOSECONDS));
        } catch (TimeoutException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } catch (ExecutionException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void kill() {
        try (Uninterrupted uninterrupted = new Uninterrupted()) {
            if (ending.compareAndSet(null, Ending.CANCELLED)) {
                hooks.end(uninterrupted);
            }
            if (!uninterrupted.await(end, KILLED_LIMIT)) {
                process.destroyForcibly();
                uninterrupted.await(end, KILLED_LIMIT);
            }
        }
    }

    @Override
    public void close() {
        kill();
        closeQuietly(stdin);
        closeQuietly(stdout);
        closeQuietly(stderr);
    }

    private static void closeQuietly(Closeable stream) {
        try {
            stream.close();
        } catch (IOException e) {
            // What was not flushed has nobody to read it.
        }
    }
}
