package io.maestro.team.internal.machine;

import io.maestro.error.MaestroException;

/** The thread of a story was interrupted: the host cancels it, or closes Maestro. */
public final class CancelledException extends MaestroException {
    private static final long serialVersionUID = 1L;

    public CancelledException() {
        this("work");
    }

    /** Says what was cancelled, as in "story". */
    CancelledException(String what) {
        super("the " + what + " was cancelled");
    }

    /** Throws when the thread is interrupted; the flag stays set, so that whatever blocks next ends at once, too. */
    public static void check() {
        if (Thread.currentThread().isInterrupted()) {
            throw new CancelledException();
        }
    }
}
