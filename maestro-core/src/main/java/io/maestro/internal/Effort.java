package io.maestro.internal;

import java.util.concurrent.CancellationException;

/**
 * Bounds how many steps a piece of work on an agent's files may take, and ends it when the thread is interrupted: an agent
 * can make any loop over its files as long as it likes. For use by one thread.
 */
public final class Effort {
    /** So many steps are made between two looks at the thread. */
    private static final long INTERVAL = 100_000;

    private final String what;
    private final long most;
    private long spent;
    private long nextLook = INTERVAL;

    /** Thrown when the steps are used up. */
    public static final class Exhausted extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Exhausted(String message) {
            super(message);
        }
    }

    /**
     * Starts with no steps made.
     *
     * @param what for messages, as in "reading the workspace"
     * @param most how many steps may be made; a step takes some nanoseconds
     */
    public Effort(String what, long most) {
        this.what = what;
        this.most = most;
    }

    /**
     * Counts steps.
     *
     * @throws Exhausted when there were too many
     * @throws CancellationException when the thread is interrupted; its status stays
     */
    public void spend(long steps) {
        spent += steps;
        if (spent > most) {
            throw new Exhausted("it takes too long: more than " + most + " steps of " + what);
        }
        if (spent >= nextLook) {
            nextLook = spent + INTERVAL;
            requireGoingOn();
        }
    }

    /**
     * Looks at the thread now.
     *
     * @throws CancellationException when it is interrupted; its status stays
     */
    public void requireGoingOn() {
        requireGoingOn(what);
    }

    /**
     * Looks at the thread now, for work whose steps are not counted.
     *
     * @param what for the message, as in "reading the workspace"
     * @throws CancellationException when it is interrupted; its status stays
     */
    public static void requireGoingOn(String what) {
        if (Thread.currentThread().isInterrupted()) {
            throw new CancellationException("cancelled while " + what);
        }
    }
}
