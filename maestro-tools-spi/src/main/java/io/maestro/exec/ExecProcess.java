package io.maestro.exec;

import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A command that runs while its caller writes to it and reads from it; made by {@link Executor#start}. Safe for use by
 * several threads, each stream by one at a time.
 *
 * <p>The caller reads both outputs, or the command stops when a pipe is full. What the command started is ended with it, as
 * after {@link Executor#run}; {@link #close} ends it early.
 */
public interface ExecProcess extends AutoCloseable {
    /**
     * What the command reads. Each flush reaches it; closing it is the end of its input.
     *
     * @return always the same stream; writing fails when the command does not read any more
     */
    OutputStream stdin();

    /**
     * What the command prints on standard output, as it comes.
     *
     * @return always the same stream; it ends when the command has ended
     */
    InputStream stdout();

    /**
     * What the command prints on standard error, as it comes.
     *
     * @return always the same stream; it ends when the command has ended
     */
    InputStream stderr();

    /**
     * Whether the command still runs.
     *
     * @return false when {@link #await} would return at once
     */
    boolean isAlive();

    /**
     * Waits until the command has ended, at its time limit at the latest.
     *
     * @param atMost how long to wait; more than zero
     * @return how it ended; empty when it still runs, or the calling thread was interrupted, whose status is set again
     */
    Optional<End> await(Duration atMost);

    /**
     * Ends the command and everything that it started, and waits until that is so: {@link #await} then says {@link
     * ExecResult.Ending#CANCELLED}. Does nothing when the command has ended.
     */
    void kill();

    /** Ends the command as {@link #kill} does, and closes the streams. A second call does nothing. */
    @Override
    void close();

    /**
     * How a command ended.
     *
     * @param ending why it ended
     * @param exitCode its exit code; empty when it was killed at its time limit or by {@link ExecProcess#kill}
     */
    record End(ExecResult.Ending ending, OptionalInt exitCode) {
        /**
         * Whether the command ended by itself with exit code 0. Nothing else is a success.
         *
         * @return true for a success
         */
        public boolean succeeded() {
            return ending == ExecResult.Ending.EXITED && exitCode.orElse(-1) == 0;
        }
    }
}
