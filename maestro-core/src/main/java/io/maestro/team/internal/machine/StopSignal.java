package io.maestro.team.internal.machine;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Says why work is to stop. An interrupt alone does not: whoever interrupts the thread of a run sets the cause here first. An
 * interrupt without a cause comes from code of the host, or of a library, that was called on the thread: it stops nothing, is
 * dropped before the thread goes on, and is a failure of what was being done. A cause counts without an interrupt, too: code that
 * was called may have swallowed it, as JGit does while it reads git's settings. So work asks {@link #check} before each step that
 * costs or changes something. Safe for use by several threads.
 */
public final class StopSignal {
    private static final Duration POLL = Duration.ofMillis(5);

    private final @Nullable StopSignal outer;
    private final boolean anyInterrupt;
    private final AtomicReference<@Nullable Stop> stop = new AtomicReference<>();

    private final AtomicReference<@Nullable String> interrupter = new AtomicReference<>();

    private record Stop(StopCause cause, String why) {}

    /** A signal of its own. */
    public StopSignal() {
        this(null, false);
    }

    /** A signal that is set with another one, too. */
    public StopSignal(StopSignal outer) {
        this(outer, false);
    }

    private StopSignal(@Nullable StopSignal outer, boolean anyInterrupt) {
        this.outer = outer;
        this.anyInterrupt = anyInterrupt;
    }

    /** The signal of work for which each interrupt of its thread is a cause. */
    public static StopSignal byInterrupt() {
        StopSignal signal = new StopSignal(null, true);
        signal.set(StopCause.CANCELLED);
        return signal;
    }

    /** Sets the cause; the first one counts. */
    public void set(StopCause cause) {
        set(cause, "");
    }

    /** The same, with what is to be said of it; see {@link #why}. */
    void set(StopCause cause, String why) {
        stop.compareAndSet(null, new Stop(cause, why));
    }

    private Optional<Stop> stop() {
        Stop own = stop.get();
        return own == null && outer != null ? outer.stop() : Optional.ofNullable(own);
    }

    /** The cause; empty while nobody has set one. */
    public Optional<StopCause> cause() {
        return stop().map(Stop::cause);
    }

    /** Who has set the cause and for what reason, as in "by alice: not needed"; empty when nobody has said so. */
    public String why() {
        return stop().map(Stop::why).orElse("");
    }

    /**
     * To be called by the thread that does the work. Its interrupt status is set when this throws, so that whatever blocks next
     * ends at once, too.
     *
     * @throws CancelledException when there is a cause, the thread is interrupted, or the JVM is being shut down
     */
    public void check() {
        if (!anyInterrupt && cause().isPresent()) {
            Thread.currentThread().interrupt();
        }
        CancelledException.check();
    }

    /** As {@link #cause()}, which somebody may set within a time; an interrupt does not end the wait, and stays. */
    Optional<StopCause> causeWithin(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        boolean interrupted = false;
        while (cause().isEmpty() && System.nanoTime() - end < 0) {
            interrupted |= Thread.interrupted();
            LockSupport.parkNanos(POLL.toNanos());
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return cause();
    }

    /**
     * Calls foreign code on the thread of the work, and notes who it was when the thread is interrupted meanwhile.
     *
     * @param who names the code, as in "the forge"
     */
    public <T> T calling(String who, Supplier<T> code) {
        boolean before = Thread.currentThread().isInterrupted();
        try {
            return code.get();
        } finally {
            if (!before && Thread.currentThread().isInterrupted()) {
                interrupter.set(who);
            }
        }
    }

    /** The same for code without a result. */
    public void calling(String who, Runnable code) {
        boolean unused = calling(who, () -> {
            code.run();
            return true;
        });
    }

    /**
     * Clears the interrupt status of the calling thread, which does the work, when nobody has set a cause.
     *
     * @return who was called when it was set, as far as that is known; empty when there was no such interrupt
     */
    public Optional<String> dropStray() {
        // Before the cause is read: whoever sets one from now on interrupts once more.
        boolean interrupted = Thread.interrupted();
        if (cause().isEmpty()) {
            String who = interrupter.getAndSet(null);
            return interrupted ? Optional.of(who == null ? "something unknown" : who) : Optional.empty();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return Optional.empty();
    }

    /**
     * Clears the interrupt status of the calling thread, which Maestro has set to end a wait and nothing else. It stays when a
     * cause was set, for which the thread is interrupted as well.
     */
    public void dropOwn() {
        if (Thread.interrupted() && !anyInterrupt && cause().isPresent()) {
            Thread.currentThread().interrupt();
        }
    }
}
