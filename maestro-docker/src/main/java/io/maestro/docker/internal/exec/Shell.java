package io.maestro.docker.internal.exec;

import io.maestro.exec.internal.BoundedOutput;
import io.maestro.internal.Threads;
import io.maestro.internal.Uninterrupted;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A shell in a container, at the other end of a CLI process: two threads read what it says. One command at a time.
 */
final class Shell implements FramesListener {
    /** What a pipe takes without anybody reading, at least. */
    private static final int PIPE = 1 << 15;

    private final ThreadFactory threads;
    private final Process process;
    private final OutputStream input;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final FrameParser stdout;
    private final FrameParser stderr;
    private int open = 2;
    private @Nullable String start;
    private @Nullable String hint;
    private boolean unbegun;
    private @Nullable String end;
    private boolean stderrFinished;

    /** Whether the shell has something to say: that it is there, or how a command goes. */
    private boolean expecting = true;

    private boolean broken;

    /**
     * Begins to read.
     *
     * @param process the CLI
     * @param hintWord begins what the shell says of itself
     * @param name of the threads
     */
    Shell(Process process, String hintWord, String name) {
        this.process = process;
        this.input = process.getOutputStream();
        this.stdout = new FrameParser(hintWord, true, this);
        this.stderr = new FrameParser(null, false, this);
        this.threads = Threads.platformFactory(name);
        threads.newThread(() -> stdout.readAll(process.getInputStream())).start();
        threads.newThread(() -> stderr.readAll(process.getErrorStream())).start();
    }

    /** Expects the output of a command. */
    void begin(String word, BoundedOutput out, BoundedOutput err) {
        lock.lock();
        try {
            start = null;
            hint = null;
            unbegun = false;
            end = null;
            stderrFinished = false;
            expecting = true;
            stdout.begin(word, out);
            stderr.begin(word, err);
        } finally {
            lock.unlock();
        }
    }

    /** Sets the word that ends the output of the command. */
    void endWith(String word) {
        lock.lock();
        try {
            stdout.endWith(word);
            stderr.endWith(word);
        } finally {
            lock.unlock();
        }
    }

    /** Writes; does not block on what a stopped container does not read. */
    void write(byte[] bytes) {
        if (bytes.length <= PIPE) {
            writeNow(bytes, false);
        } else {
            writeLater(bytes, false);
        }
    }

    /** Writes what may take its time, and then perhaps ends the input. */
    void writeLater(byte[] bytes, boolean close) {
        threads.newThread(() -> writeNow(bytes, close)).start();
    }

    private void writeNow(byte[] bytes, boolean close) {
        try {
            input.write(bytes);
            input.flush();
            if (close) {
                input.close();
            }
        } catch (IOException e) {
            // It does not read any more; if it has ended, the readers see that too.
        }
    }

    /**
     * Waits.
     *
     * @param condition is looked at with the lock held
     * @param deadline by {@link System#nanoTime}
     * @param uninterrupted notes an interruption; null to be interrupted
     * @return whether it holds
     * @throws InterruptedException when uninterrupted is null
     */
    private boolean awaitUntil(BooleanSupplier condition, long deadline, @Nullable Uninterrupted uninterrupted)
            throws InterruptedException {
        lock.lock();
        try {
            while (!condition.getAsBoolean()) {
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    return false;
                }
                try {
                    changed.await(left, TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    if (uninterrupted == null) {
                        throw e;
                    }
                    uninterrupted.interrupted();
                }
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until the deadline or an interruption. */
    boolean await(BooleanSupplier condition, long deadline) throws InterruptedException {
        return awaitUntil(condition, deadline, null);
    }

    /** Waits for some milliseconds, whatever interrupts. */
    boolean await(BooleanSupplier condition, long millis, Uninterrupted uninterrupted) {
        try {
            return awaitUntil(condition, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis), uninterrupted);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    // ---- For conditions, and for results once nothing changes any more

    boolean isStarted() {
        return start != null;
    }

    boolean isHinted() {
        return hint != null;
    }

    boolean isFinished() {
        return end != null && stderrFinished;
    }

    /** Whether the shell is gone, or says what it must not. */
    boolean isLost() {
        return broken || open == 0;
    }

    boolean hasEnded() {
        return open == 0;
    }

    // ---- Results

    /** What the command's script said when it began: a word and a process. */
    String start() {
        return locked(start);
    }

    String hint() {
        return locked(hint);
    }

    /**
     * Whether the end of a worker was told before the beginning of the command. The order on the stream says it: when a thread
     * asks, the beginning may have come, too.
     */
    boolean endedUnbegun() {
        lock.lock();
        try {
            return unbegun;
        } finally {
            lock.unlock();
        }
    }

    String end() {
        return locked(end);
    }

    private String locked(@Nullable String value) {
        lock.lock();
        try {
            return value == null ? "" : value;
        } finally {
            lock.unlock();
        }
    }

    /** Whether the streams have ended with the shell's own last word. */
    boolean endedWell() {
        lock.lock();
        try {
            return open == 0 && stdout.endsWithHint();
        } finally {
            lock.unlock();
        }
    }

    /** What the CLI said; the engine's own refusals come on the first stream. */
    String complaint() {
        lock.lock();
        try {
            return (stderr.stray() + "\n" + stdout.stray()).strip();
        } finally {
            lock.unlock();
        }
    }

    /** The shell is there: until a command begins it has nothing to say. */
    void expectNothing() {
        lock.lock();
        try {
            expecting = false;
            stdout.takeStrayed();
            stderr.takeStrayed(); // warnings of the CLI
        } finally {
            lock.unlock();
        }
    }

    /** Whether something came that belongs to no command, since the last call. */
    boolean takeStrayed() {
        lock.lock();
        try {
            boolean out = stdout.takeStrayed();
            return stderr.takeStrayed() || out;
        } finally {
            lock.unlock();
        }
    }

    boolean isAlive() {
        lock.lock();
        try {
            return !isLost() && process.isAlive();
        } finally {
            lock.unlock();
        }
    }

    Process process() {
        return process;
    }

    /** Ends the shell's input, by which it ends, and soon the CLI, which the threads see. Does not wait. */
    void close() {
        threads.newThread(() -> {
                    try {
                        input.close();
                    } catch (IOException e) {
                        // It is gone already.
                    }
                })
                .start();
    }

    /** Ends the CLI; the shell's input ends by that. */
    void destroy() {
        process.destroyForcibly();
    }

    // ---- From the readers

    @Override
    public void received(FrameParser frames, byte[] chunk, int length) {
        lock.lock();
        try {
            frames.accept(chunk, length);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void ended(FrameParser frames) {
        lock.lock();
        try {
            frames.finish();
            open--;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void started(String line) {
        if (!line.isEmpty()) { // of the other stream
            start = line;
            changed.signalAll();
        }
    }

    @Override
    public void hinted(String line) {
        // A worker that waits for its command can be killed too: the next command would find nobody.
        if (line.equals("lost") || !expecting) {
            broken = true;
        }
        unbegun |= start == null;
        hint = line;
        changed.signalAll();
    }

    @Override
    public void finished(FrameParser frames, String line) {
        if (frames == stdout) {
            end = line;
        } else {
            stderrFinished = true;
        }
        if (isFinished()) {
            expecting = false;
            changed.signalAll();
        }
    }
}
