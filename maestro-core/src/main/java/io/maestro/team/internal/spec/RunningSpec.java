package io.maestro.team.internal.spec;

import io.maestro.event.MaestroEvent;
import io.maestro.record.internal.Leases;
import io.maestro.story.Spec;
import io.maestro.story.SpecResult;
import io.maestro.team.internal.dispatch.LeaseKeeper;
import io.maestro.team.internal.machine.BackgroundWork;
import io.maestro.team.internal.machine.StopCause;
import io.maestro.team.internal.machine.StopSignal;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;

/** A specification that this Maestro is to see to its end. Safe for use by several threads. */
public final class RunningSpec extends BackgroundWork<SpecResult> implements Runnable {
    private final LeaseKeeper leases;
    private final BiFunction<RunningSpec, StopSignal, SpecResult> work;
    private final AtomicBoolean cancelled = new AtomicBoolean();
    private volatile boolean led;

    RunningSpec(Spec spec, LeaseKeeper leases, BiFunction<RunningSpec, StopSignal, SpecResult> work) {
        super(spec.id());
        this.leases = leases;
        this.work = work;
    }

    @Override
    public void run() {
        end(() -> perform(stop -> work.apply(this, stop)));
    }

    /** Tells those who listen of the specification and its stories. */
    @Override
    public void onEvent(MaestroEvent event) {
        String storyId = event.storyId();
        if (storyId.equals(id()) || SpecStories.isOf(id(), storyId)) {
            super.onEvent(event);
        }
    }

    /** Ends the work and its stories; the result comes all the same. */
    @Override
    public void cancel() {
        stop(StopCause.CANCELLED);
    }

    /** The same, once, with what is to be said of it, as in "by alice: not needed". */
    void cancel(String why) {
        if (cancelled.compareAndSet(false, true)) {
            stop(StopCause.CANCELLED, why);
        }
    }

    private String lease() {
        return Leases.spec(id());
    }

    /** Leases the specification; false when another process has it. */
    boolean acquire() {
        return leases.acquire(List.of(lease())).isPresent();
    }

    /** This process leads the work from now on; the signal is set when the work is to stop, and when the lease is lost. */
    StopSignal lead(StopSignal stop) {
        StopSignal lead = new StopSignal(stop);
        leases.hold(lease(), () -> {
            lead.set(StopCause.LEASE_LOST);
            interrupt();
        });
        led = true;
        return lead;
    }

    /** Gives the lease back: this process does not lead any more. */
    void follow() {
        led = false;
        leases.giveBack(lease());
    }

    /** Whether this process leads the work. */
    boolean isLed() {
        return led;
    }
}
