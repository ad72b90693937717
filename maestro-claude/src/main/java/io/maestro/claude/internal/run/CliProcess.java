package io.maestro.claude.internal.run;

import io.maestro.claude.ClaudeCode;
import io.maestro.exec.ExecProcess;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.internal.BoundedOutput;
import io.maestro.internal.Threads;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The process of a CLI, with a thread that reads what it says, one for its errors and one that writes. */
final class CliProcess {
    private static final Logger LOG = LoggerFactory.getLogger(CliProcess.class);

    /** How long the last words of a process that has ended may take, and a kill. */
    private static final Duration LAST_WORDS = Duration.ofSeconds(15);

    /** The limits of a run know what the CLI waits for, and the executor does not: it gets one that is no limit. */
    private static final Duration UNLIMITED = Duration.ofDays(3650);

    private static final int STDERR_LIMIT = 1 << 13;

    private final ExecProcess process;
    private final Outbox outbox;
    private final BoundedOutput stderr = new BoundedOutput(STDERR_LIMIT);
    private final ThreadFactory threads;
    private final Thread errorReader;

    /** Set once, before anything is read. */
    private volatile Thread reader;

    private CliProcess(ExecProcess process, String name) {
        this.process = process;
        this.outbox = new Outbox(process.stdin());
        this.threads = Threads.platformFactory(name);
        this.errorReader = threads.newThread(this::readErrors);
        this.reader = errorReader;
    }

    /** What becomes of the output. */
    interface Output {
        /** Takes bytes; they are not needed any more when this returns. */
        void feed(byte[] bytes, int length);

        void end();
    }

    static CliProcess start(CliLaunch launch, StateFiles.Prepared prepared) {
        ClaudeCode settings = launch.settings();
        ExecRequest.Builder request =
                ExecRequest.command(CommandLine.arguments(launch, prepared)).timeLimit(UNLIMITED);
        CommandLine.environment(launch, prepared).forEach(request::environment);
        settings.workingDirectory().ifPresent(request::workingDirectory);
        settings.user().ifPresent(request::user);
        return new CliProcess(
                settings.executor().start(request.build()),
                "maestro-claude-" + launch.session().id());
    }

    Outbox outbox() {
        return outbox;
    }

    /** Begins to read and to write, and then does something on a thread of its own. */
    void begin(Output output, Runnable keeper) {
        reader = threads.newThread(() -> read(output));
        reader.start();
        errorReader.start();
        threads.newThread(outbox).start();
        threads.newThread(keeper).start();
    }

    /** Whether this is the thread that reads, which would wait for itself. */
    boolean isReader() {
        return Thread.currentThread().equals(reader);
    }

    /** Whether something may still be heard. */
    boolean isHeard() {
        return reader.isAlive();
    }

    Optional<ExecProcess.End> await(Duration atMost) {
        return process.await(atMost);
    }

    Optional<ExecProcess.End> kill() {
        process.kill();
        return process.await(LAST_WORDS);
    }

    /** Hears out a process that has ended. */
    void hearOut() {
        join(reader);
        join(errorReader);
    }

    void close() {
        outbox.close();
        process.close();
    }

    /** The beginning and the end of its errors. */
    String errors() {
        return stderr.snapshot().text().strip();
    }

    private static void join(Thread thread) {
        try {
            thread.join(LAST_WORDS.toMillis());
        } catch (InterruptedException e) {
            throw new AssertionError("nobody knows this thread", e);
        }
    }

    private void read(Output output) {
        byte[] chunk = new byte[1 << 16];
        try (InputStream in = process.stdout()) {
            for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
                output.feed(chunk, n);
            }
            output.end();
        } catch (IOException e) {
            LOG.debug("the output breaks off: {}", e.toString());
        } catch (RuntimeException | Error e) {
            // The keeper ends a CLI that nobody hears any more.
            LOG.error("cannot read what the CLI says", e);
        }
    }

    private void readErrors() {
        byte[] chunk = new byte[1 << 12];
        try (InputStream in = process.stderr()) {
            for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
                stderr.write(chunk, n);
            }
        } catch (IOException e) {
            LOG.debug("the errors break off: {}", e.toString());
        }
    }
}
