package io.maestro.exec.local;

import io.maestro.exec.ExecOutput;
import io.maestro.exec.internal.BoundedOutput;
import io.maestro.internal.Threads;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.zeroturnaround.exec.stream.ExecuteStreamHandler;

/**
 * Feeds a process and takes its output, one daemon thread per stream. A stream that breaks is no failure: a program may
 * close its input early. Output ends when the command has ended, not when its last writer has: a process that escaped from
 * the command may hold the pipe open for days, and a thread that reads it would be stuck there. So nothing is read that is
 * not there yet.
 */
final class Streams implements ExecuteStreamHandler {
    private static final int CHUNK = 1 << 16;

    /** How long to wait for output that is not there; twice as long each time. A program that fills the pipe waits as long. */
    private static final long SHORTEST_PAUSE = TimeUnit.MICROSECONDS.toNanos(100);

    private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(20);

    private final byte[] stdin;
    private final BoundedOutput stdout;
    private final BoundedOutput stderr;
    private final ThreadFactory factory = Threads.platformFactory("maestro-exec-stream");
    private final List<Thread> pumps = new ArrayList<>();
    private final CountDownLatch ended = new CountDownLatch(1);

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

    /** Nothing of the command is left that could write: what it has written is taken, and the pumps end. */
    void end() {
        ended.countDown();
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

    private void take(InputStream output, BoundedOutput target) {
        byte[] chunk = new byte[CHUNK];
        try {
            long pause = 0;
            while (!ended.await(pause, TimeUnit.NANOSECONDS)) {
                boolean any = take(output, target, chunk) > 0;
                pause = any ? 0 : Math.min(Math.max(2 * pause, SHORTEST_PAUSE), LONGEST_PAUSE);
            }
            // Once: an escaped process may write faster than anybody reads.
            take(output, target, chunk);
        } catch (IOException e) {
            // The pipe was closed under us: what was read until now is the output.
        } catch (InterruptedException e) {
            throw new AssertionError("nobody knows this thread", e);
        }
    }

    /** Takes what is there. */
    private static int take(InputStream output, BoundedOutput target, byte[] chunk) throws IOException {
        int there = output.available();
        for (int left = there; left > 0; ) {
            int n = output.read(chunk, 0, Math.min(left, chunk.length));
            if (n < 0) {
                break;
            }
            target.write(chunk, n);
            left -= n;
        }
        return there;
    }

    private static void closeQuietly(OutputStream stream) {
        try {
            stream.close();
        } catch (IOException e) {
            // The other end is gone.
        }
    }
}
