package io.maestro.exec.local;

import io.maestro.exec.ExecOutput;
import io.maestro.exec.internal.BoundedOutput;
import io.maestro.internal.Threads;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import org.zeroturnaround.exec.stream.ExecuteStreamHandler;

/**
 * Feeds a process and takes its output, one daemon thread per stream. A stream that breaks is no failure: a program may
 * close its input early, and output ends when its last writer is killed.
 */
final class Streams implements ExecuteStreamHandler {
    private static final int CHUNK = 1 << 16;

    private final byte[] stdin;
    private final BoundedOutput stdout;
    private final BoundedOutput stderr;
    private final ThreadFactory factory = Threads.platformFactory("maestro-exec-stream");
    private final List<Thread> pumps = new ArrayList<>();

    Streams(byte[] stdin, int outputLimit) {
        this.stdin = stdin;
        this.stdout = new BoundedOutput(outputLimit);
        this.stderr = new BoundedOutput(outputLimit);
    }

    ExecOutput stdout() {
        return stdout.snapshot();
    }

    ExecOutput stderr() {
        return stderr.snapshot();
    }

    @Override
    public void setProcessInputStream(OutputStream input) {
        if (stdin.length == 0) {
            closeQuietly(input);
        } else {
            pumps.add(factory.newThread(() -> feed(input)));
        }
    }

    @Override
    public void setProcessOutputStream(InputStream output) {
        pumps.add(factory.newThread(() -> take(output, stdout)));
    }

    @Override
    public void setProcessErrorStream(InputStream output) {
        pumps.add(factory.newThread(() -> take(output, stderr)));
    }

    @Override
    public void start() {
        pumps.forEach(Thread::start);
    }

    /** Waits for the pumps; called on a thread of zt-exec, which closes the streams afterwards. */
    @Override
    public void stop() {
        try {
            for (Thread pump : pumps) {
                pump.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void feed(OutputStream input) {
        try {
            input.write(stdin);
        } catch (IOException e) {
            // The program does not read (any more). That is its right.
        } finally {
            closeQuietly(input);
        }
    }

    private static void take(InputStream output, BoundedOutput target) {
        byte[] chunk = new byte[CHUNK];
        try {
            for (int n = output.read(chunk); n >= 0; n = output.read(chunk)) {
                target.write(chunk, n);
            }
        } catch (IOException e) {
            // The pipe was closed under us: what was read until now is the output.
        }
    }

    private static void closeQuietly(OutputStream stream) {
        try {
            stream.close();
        } catch (IOException e) {
            // The other end is gone.
        }
    }
}
