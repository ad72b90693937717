package io.maestro.team.internal.machine;

import io.maestro.error.MaestroException;
import io.maestro.internal.JvmShutdown;

/** The thread of a story was interrupted, because the host cancels it or closes Maestro, or the JVM is being shut down. */
public final class CancelledException extends MaestroException {
    private static final long serialVersionUID = 1L;

    public CancelledException() {
        this("work", "");
    }

    /** Says what was cancelled, as in "story", and by whom and why, as in "by alice: not needed". */
    CancelledException(String what, String why) {
        super("the " + what + " was cancelled" + (why.isEmpty() ? "" : " " + why));
    }

    /**
     * Throws when the thread is interrupted, or the JVM is being shut down, which ends commands. The flag stays set, so that
     * whatever blocks next ends at once, too.
     */
    public static void check() {
        if (Thread.currentThread().isInterrupted() || JvmShutdown.hasBegun()) {
            throw new CancelledException();
        }
    }
}
