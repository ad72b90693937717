package io.maestro.team.internal.machine;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Says why work is to stop. An interrupt alone does not: whoever interrupts the thread of a run sets the cause here first. Safe
 * for use by several threads.
 */
public final class StopSignal {
    private final @Nullable StopSignal outer;
    private final AtomicReference<@Nullable StopCause> cause = new AtomicReference<>();

    /** A signal of its own. */
    public StopSignal() {
        this.outer = null;
    }

    /** A signal that is set with another one, too. */
    public StopSignal(StopSignal outer) {
        this.outer = outer;
    }

    /** Sets the cause; the first one counts. */
    public void set(StopCause why) {
        cause.compareAndSet(null, why);
    }

    /** The cause; empty while nobody has set one. */
    public Optional<StopCause> cause() {
        StopCause own = cause.get();
        return own == null && outer != null ? outer.cause() : Optional.ofNullable(own);
    }
}
