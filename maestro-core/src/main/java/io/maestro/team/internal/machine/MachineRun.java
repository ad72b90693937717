package io.maestro.team.internal.machine;

import io.maestro.error.RetriableException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** One run through a table of states. Its thread moves it; what else is public is safe for use by several threads. */
public abstract class MachineRun<S extends Enum<S>> {
    private final Outage outage = new Outage();
    private final StopSignal stop;
    private final ReentrantLock writing = new ReentrantLock();
    private volatile S state;

    /** A run that stands in a state. */
    protected MachineRun(S state, StopSignal stop) {
        this.state = state;
        this.stop = stop;
    }

    /** Where it stands, according to the last row of it. */
    public final S state() {
        return state;
    }

    /** The service that it waits for. */
    public final Outage outage() {
        return outage;
    }

    /** Why it is to stop. */
    public final StopSignal stop() {
        return stop;
    }

    /** Writes a row of this run. One at a time, so that none puts an old state over a new one. */
    public final void write(Runnable row) {
        writing.lock();
        try {
            row.run();
        } finally {
            writing.unlock();
        }
    }

    /** Moves on together with the row that says so. */
    final void move(S to, Runnable row) {
        write(() -> {
            row.run();
            state = to;
        });
        moved(to);
    }

    /** The run has come into a state. */
    protected void moved(S to) {}

    /** The state that SUSPEND goes back to; null before the first suspension. Stored with the run. */
    public abstract @Nullable S suspendedIn();

    /** Sets {@link #suspendedIn}, with what the run is told of the cause. */
    protected abstract void suspendIn(S origin, String shown);

    /** When what has failed now has worked last, in terms of {@link System#nanoTime()}; null when it has not in this life. */
    protected abstract @Nullable Long workedAt(RetriableException failure);

    /** Whether an earlier life of it has reached what it asks: then even a server that was silent ever since is an outage. */
    protected boolean isTakenUp() {
        return false;
    }

    /** What it is, as in "story". */
    protected abstract String kind();

    /** Which one it is, as in "042". */
    protected abstract String id();

    /** What it is and which, as in "story 042". */
    @Override
    public abstract String toString();
}
