package io.maestro.docker.internal;

import io.maestro.docker.DockerException;
import io.maestro.docker.DockerUnavailableException;
import io.maestro.error.MaestroException;
import io.maestro.internal.Threads;
import io.maestro.internal.Uninterrupted;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Runs the client with an input or an output that is too large to be kept: it goes by as a stream. */
public final class ClientStream {
    private static final int BUFFER = 1 << 16;
    private static final int MAX_ERRORS = 1 << 14;
    private static final Duration OWN_END = Duration.ofSeconds(5);
    private static final Duration STREAM_END = Duration.ofMinutes(1);

    private ClientStream() {}

    /** Writes what the client reads; the stream is closed afterwards. */
    @FunctionalInterface
    public interface Source {
        void write(OutputStream out) throws IOException;
    }

    /** Reads what the client prints. */
    @FunctionalInterface
    public interface Target<T> {
        T read(InputStream in) throws IOException;
    }

    /** The client ended with a failure, and what it says is in the message. */
    public static final class FailedException extends DockerException {
        private static final long serialVersionUID = 1L;
        private final int exitCode;

        FailedException(String message, int exitCode) {
            super(message, null);
            this.exitCode = exitCode;
        }

        public int exitCode() {
            return exitCode;
        }
    }

    /**
     * Runs the client to its end.
     *
     * @param what is being done, for messages
     * @return what was read, when the client has ended with success
     * @throws FailedException when it has ended otherwise
     * @throws DockerUnavailableException when the engine does not answer
     * @throws DockerException when a stream breaks, the time is over, or the thread is interrupted, whose status stays
     */
    public static <T> T run(
            DockerCli cli, String what, List<String> arguments, Duration limit, Source source, Target<T> target) {
        Process process;
        try {
            process = cli.client().start(arguments);
        } catch (IOException e) {
            throw new DockerUnavailableException(
                    "the client '" + cli.host().program() + "' cannot be run; install it or name another one: "
                            + e.getMessage(),
                    e);
        }
        ExecutorService threads = Threads.newExecutor("maestro-docker-stream");
        AtomicReference<@Nullable Throwable> broken = new AtomicReference<>();
        try {
            Future<String> errors = threads.submit(() -> text(process.getErrorStream()));
            Future<?> written = threads.submit(() -> {
                Pipe pipe = new Pipe(process.getOutputStream());
                try {
                    // Not closed when it fails: half of the input must not be taken for the whole.
                    OutputStream out = new BufferedOutputStream(pipe, BUFFER);
                    source.write(out);
                    out.close();
                } catch (IOException | RuntimeException e) {
                    broken.compareAndSet(null, e);
                    if (!pipe.broken || !endsByItself(process)) {
                        process.destroyForcibly();
                    }
                    throw e;
                }
                return null;
            });
            Future<T> read = threads.submit(() -> {
                try (InputStream in = new BufferedInputStream(process.getInputStream(), BUFFER)) {
                    T result = target.read(in);
                    in.transferTo(OutputStream.nullOutputStream());
                    return result;
                } catch (IOException | RuntimeException e) {
                    broken.compareAndSet(null, e);
                    if (!endsByItself(process)) {
                        process.destroyForcibly();
                    }
                    throw e;
                }
            });
            try (Uninterrupted uninterrupted = new Uninterrupted()) {
                try {
                    return result(cli, what, process, limit, errors, written, read, broken);
                } finally {
                    // Nobody may go on reading or writing files after this.
                    process.destroyForcibly();
                    uninterrupted.await(written, STREAM_END);
                    uninterrupted.await(read, STREAM_END);
                }
            }
        } finally {
            process.destroyForcibly();
            threads.shutdown();
        }
    }

    /** A client that reads or writes no more is about to end, and says why, if it is let. */
    private static boolean endsByItself(Process process) throws InterruptedException {
        return process.waitFor(OWN_END.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Knows whether it was the client that did not take something. */
    private static final class Pipe extends FilterOutputStream {
        private boolean broken;

        Pipe(OutputStream out) {
            super(out);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            broken = true;
            out.write(bytes, from, length);
            out.flush();
            broken = false;
        }
    }

    private static <T> T result(
            DockerCli cli,
            String what,
            Process process,
            Duration limit,
            Future<String> errors,
            Future<?> written,
            Future<T> read,
            AtomicReference<@Nullable Throwable> broken) {
        String on = what + " on " + cli.host().name();
        try {
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new DockerException(on + " did not end within " + limit.toSeconds() + " s", null);
            }
            String said = errors.get(10, TimeUnit.SECONDS).strip();
            boolean succeeded = process.exitValue() == 0;
            if (!succeeded && DockerCli.isDown(said)) {
                throw cli.unavailable(said, null);
            }
            // What broke first, on this side, says more than that the client was killed for it.
            T result = streamed(on, written, read, broken, succeeded || process.exitValue() == 137, said);
            if (!succeeded) {
                Throwable first = broken.get();
                throw new FailedException(
                        on + " failed with exit code " + process.exitValue() + ": "
                                + (said.isEmpty() && first != null ? first : said),
                        process.exitValue());
            }
            if (result == null) {
                throw new DockerException(on + " brought nothing", null);
            }
            return result;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DockerException(on + " was cancelled", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new DockerException(on + " failed: " + e, e);
        }
    }

    private static <T> @Nullable T streamed(
            String on,
            Future<?> written,
            Future<T> read,
            AtomicReference<@Nullable Throwable> broken,
            boolean mustSucceed,
            String said)
            throws InterruptedException, TimeoutException {
        T result = null;
        try {
            written.get(10, TimeUnit.SECONDS);
            result = read.get(10, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            broken.compareAndSet(null, e.getCause());
        }
        // The first: the other stream breaks with it.
        Throwable failure = broken.get();
        if (failure instanceof MaestroException known) {
            throw known;
        }
        if (failure != null && mustSucceed) {
            throw new DockerException(on + " failed: " + failure + (said.isEmpty() ? "" : "; " + said), failure);
        }
        return result;
    }

    private static String text(InputStream in) {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        byte[] buffer = new byte[4096];
        try {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                head.write(buffer, 0, Math.min(read, MAX_ERRORS - head.size()));
            }
        } catch (IOException e) {
            // Closed, since the client was killed.
        }
        return head.toString(StandardCharsets.UTF_8);
    }
}
