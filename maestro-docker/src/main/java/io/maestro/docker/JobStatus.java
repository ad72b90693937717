package io.maestro.docker;

import java.util.Objects;
import java.util.OptionalInt;

/**
 * How a background command, a job, of a container is, and a part of what it printed. Immutable.
 *
 * @param id 12 hexadecimal digits
 * @param state what has become of it
 * @param exitCode 0 to 255; there when it has ended by itself, and only then
 * @param output what it printed on both outputs, in order, from where the caller had asked: whole characters of UTF-8, with U+FFFD
 *     for bytes that are none; empty in a list and after a cancellation
 * @param nextOffset where the output goes on, in bytes; 0 in a list and after a cancellation
 * @param totalBytes how many bytes of output are kept
 * @param outputCut whether it printed more than is kept
 */
public record JobStatus(
        String id,
        State state,
        OptionalInt exitCode,
        String output,
        long nextOffset,
        long totalBytes,
        boolean outputCut) {
    /** What has become of a job. */
    public enum State {
        /** It, or something that it started, runs. */
        RUNNING,
        /** It has ended by itself, what it had left running was ended, and all its output is there. */
        ENDED,
        /** It was cancelled, and nothing of it runs. */
        CANCELLED,
        /** It is gone and has left no exit code: somebody has killed it, or its container has ended. */
        LOST
    }

    /**
     * Checks the exit code.
     *
     * @param id 12 hexadecimal digits
     * @param state what has become of it
     * @param exitCode there when it has ended by itself
     * @param output what it printed
     * @param nextOffset where the output goes on
     * @param totalBytes how many bytes are kept
     * @param outputCut whether it printed more
     * @throws IllegalArgumentException when it is there without an end, or not there with one
     */
    public JobStatus {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(output, "output");
        if (exitCode.isPresent() != (state == State.ENDED)) {
            throw new IllegalArgumentException(
                    "a job has an exit code when it has ended, and only then; is " + state + " with " + exitCode);
        }
    }

    /** All but the output, of which it says the size. */
    @Override
    public String toString() {
        return "JobStatus[" + id + ", " + state + (exitCode.isPresent() ? " " + exitCode.getAsInt() : "") + ", "
                + totalBytes + " bytes" + (outputCut ? ", cut" : "") + "]";
    }
}
