package io.maestro.docker.internal;

import io.maestro.docker.DockerException;
import io.maestro.docker.DockerUnavailableException;
import io.maestro.error.MaestroException;
import io.maestro.internal.Threads;
import io.maestro.internal.Uninterrupted;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
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
import org.jspecify.annotations.Nullable;

/** Runs the client with an input or an output that is too large to be kept: it goes by as a stream. */
public final class ClientStream {
    private static final int BUFFER = 1 << 16;
    private static final int MAX_ERRORS = 1 << 14;
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
        try {
            Future<String> errors = threads.submit(() -> text(process.getErrorStream()));
            Future<?> written = threads.submit(() -> {
                try (OutputStream out = new BufferedOutputStream(process.getOutputStream(), BUFFER)) {
                    source.write(out);
                } catch (IOException | RuntimeException e) {
                    // Half of the input must not be taken for the whole.
                    process.destroyForcibly();
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
                    process.destroyForcibly();
                    throw e;
                }
            });
            try (Uninterrupted uninterrupted = new Uninterrupted()) {
                try {
                    return result(cli, what, process, limit, errors, written, read);
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

    private static <T> T result(
            DockerCli cli,
            String what,
            Process process,
            Duration limit,
            Future<String> errors,
            Future<?> written,
            Future<T> read) {
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
            T result = streamed(on, written, read, succeeded || process.exitValue() == 137, said);
            if (!succeeded) {
                throw new FailedException(
                        on + " failed with exit code " + process.exitValue() + ": " + said, process.exitValue());
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
            String on, Future<?> written, Future<T> read, boolean mustSucceed, String said)
            throws InterruptedException, TimeoutException {
        T result = null;
        Throwable failure = null;
        try {
            written.get(10, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            failure = e.getCause();
        }
        try {
            result = read.get(10, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            failure = failure == null ? e.getCause() : failure;
        }
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
