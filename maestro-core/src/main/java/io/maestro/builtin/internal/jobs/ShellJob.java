package io.maestro.builtin.internal.jobs;

import io.maestro.exec.ExecProcess;
import io.maestro.exec.ExecResult.Ending;
import io.maestro.exec.internal.Utf8;
import io.maestro.internal.Texts;
import io.maestro.internal.Threads;
import io.maestro.secrets.internal.ShownText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A command that runs while its agent goes on, and what it has printed. Safe for use by several threads. */
public final class ShellJob {
    /** How many bytes of the output are kept. */
    public static final int OUTPUT_LIMIT = 256 * 1024;

    private static final ThreadFactory READERS = Threads.platformFactory("maestro-shell-job");
    /** After so long nothing more is expected of a line. */
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final Duration LONG = Duration.ofDays(1);

    private final String id;
    private final String commandLine;
    private final Duration limit;
    private final ExecProcess process;
    private final long begin = System.nanoTime();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition over = lock.newCondition();
    private final RecentBytes output = new RecentBytes(OUTPUT_LIMIT);
    private ExecProcess.@Nullable End end;
    private long endedAt;
    private long printedAt = begin;

    /** Up to where the output was shown. */
    private long shown;

    /**
     * What is said of a job.
     *
     * @param text how it is; ends with a line that says which part of the output follows, if one does
     * @param before the output before that part, as far as a secret may reach
     * @param output the part
     * @param after the output behind it, as far
     * @param failed whether it was killed at its time limit
     * @param exitCode its exit code, where it has ended by itself
     */
    public record JobReport(
            String text, String before, String output, String after, boolean failed, OptionalInt exitCode) {}

    /**
     * Begins to read what a command prints.
     *
     * @param limit when the process ends it
     */
    ShellJob(String id, String commandLine, Duration limit, ExecProcess process) {
        this.id = id;
        this.commandLine = commandLine;
        this.limit = limit;
        this.process = process;
        READERS.newThread(this::read).start();
    }

    String id() {
        return id;
    }

    public boolean isRunning() {
        lock.lock();
        try {
            return end == null;
        } finally {
            lock.unlock();
        }
    }

    private void read() {
        byte[] chunk = new byte[1 << 13];
        try (InputStream in = process.stdout()) {
            for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
                lock.lock();
                try {
                    output.write(chunk, n);
                    printedAt = System.nanoTime();
                } finally {
                    lock.unlock();
                }
            }
        } catch (IOException e) {
            // What ends a command closes its output.
        } finally {
            ExecProcess.End how =
                    process.await(LONG).orElse(new ExecProcess.End(Ending.CANCELLED, OptionalInt.empty()));
            lock.lock();
            try {
                end = how;
                endedAt = System.nanoTime();
                over.signalAll();
            } finally {
                lock.unlock();
            }
            process.close();
        }
    }

    /** Ends it with all that it has started. */
    public void cancel() {
        process.kill();
        await(Duration.ofSeconds(10));
    }

    /**
     * Waits for its end. An interrupted thread goes on at once, and still is.
     *
     * @param atMost how long
     */
    public void await(Duration atMost) {
        long nanos = atMost.toNanos();
        lock.lock();
        try {
            while (end == null && nanos > 0) {
                nanos = over.awaitNanos(nanos);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    /** One line: how it is. */
    public String line() {
        lock.lock();
        try {
            ExecProcess.End how = end;
            String time = TimeUnit.NANOSECONDS.toSeconds((how == null ? System.nanoTime() : endedAt) - begin) + " s";
            String state;
            if (how == null) {
                state = "runs, for " + time + " so far";
            } else {
                state = switch (how.ending()) {
                    case EXITED ->
                        "ended after " + time + ", exit code " + how.exitCode().orElse(-1);
                    case TIMED_OUT -> "was killed at its time limit of " + Texts.seconds(limit);
                    case CANCELLED -> "was ended after " + time;
                };
            }
            return id + " " + state + ": " + Texts.clip(Texts.firstLine(commandLine), 200);
        } finally {
            lock.unlock();
        }
    }

    /**
     * How it is and what it printed, from there or from where the last report ended. As long as it prints these are whole lines.
     * The output may begin in the middle of a secret: it is to be shown by {@link ShownText#part}.
     *
     * @param from where in the output; null for where the last report ended
     * @param most how many bytes
     */
    public JobReport report(@Nullable Long from, int most) {
        lock.lock();
        try {
            long first = firstLine();
            long offset = Math.max(from == null ? shown : from, first);
            offset += Utf8.continuationBytes(output.read(offset, Utf8.LONGEST));
            byte[] bytes = output.read(offset, most);
            int length = end != null && offset + bytes.length == output.total() ? bytes.length : whole(bytes, most);
            shown = offset + length;
            StringBuilder text = new StringBuilder(line());
            if (from == null ? first > 0 && offset == first : from < first) {
                text.append("\nbytes before ").append(offset).append(" of its output are not kept");
            }
            if (length > 0) {
                text.append("\n--- output, bytes ")
                        .append(offset)
                        .append(" to ")
                        .append(shown)
                        .append(" of ")
                        .append(output.total())
                        .append(" ---\n");
            }
            long around = Math.max(output.first(), offset - ShownText.AROUND);
            ExecProcess.End how = end;
            return new JobReport(
                    text.toString(),
                    utf8(output.read(around, (int) (offset - around))),
                    new String(bytes, 0, length, StandardCharsets.UTF_8),
                    utf8(output.read(shown, ShownText.AROUND)),
                    how != null && how.ending() == Ending.TIMED_OUT,
                    how == null ? OptionalInt.empty() : how.exitCode());
        } finally {
            lock.unlock();
        }
    }

    private static String utf8(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** Where the first line, else the first word begins that is kept whole: of one that is not, the rest of a secret may be left. */
    private long firstLine() {
        long first = output.first();
        if (first == 0) {
            return 0;
        }
        byte[] bytes = output.read(first, ShownText.AROUND);
        int word = bytes.length;
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == '\n') {
                return first + i + 1;
            }
            if (bytes[i] >= 0 && bytes[i] <= ' ') {
                word = Math.min(word, i + 1);
            }
        }
        return first + word;
    }

    /** Up to the last line end; where there is none and nothing more comes, or no more is read, to the last whole character. */
    private int whole(byte[] bytes, int most) {
        for (int length = bytes.length; length > 0; length--) {
            if (bytes[length - 1] == '\n') {
                return length;
            }
        }
        return bytes.length == most || System.nanoTime() - printedAt > QUIET_NANOS ? Utf8.completeLength(bytes) : 0;
    }
}
