package io.maestro.team.internal;

import io.maestro.agent.ArchitectState;
import io.maestro.agent.Limits;
import io.maestro.error.MaestroException;
import io.maestro.error.RetriableException;
import java.time.Duration;

/**
 * SUSPEND: a service is down. Waits, then goes back to where the architect was, which tries again. A specification that waits
 * too long in a row ends in ERROR. The time begins with the first failure after the service's last good answer; while the host was
 * off nobody has waited.
 */
final class SpecSuspension implements SpecHandler {
    private final Limits limits;

    SpecSuspension(Limits limits) {
        this.limits = limits;
    }

    /** A service did not answer: notes it, and says where to go. */
    Next suspend(SpecRun run, RetriableException failure, String shown) {
        SpecVisit visit = run.visit;
        if (visit != null && visit.meter().answeredAt() > run.progress.suspendedSince) {
            recovered(run);
        }
        run.suspendedBy = failure;
        run.progress.suspended = run.state;
        run.progress.suspendedBy = shown;
        if (run.progress.suspensions++ == 0) {
            run.progress.suspendedSince = System.currentTimeMillis();
        }
        return new Next(
                ArchitectState.SUSPEND,
                shown + " (tried again for up to " + limits.suspendTime().toSeconds() + " s)");
    }

    /** A state was completed: whatever was down is up again. */
    static void recovered(SpecRun run) {
        run.suspendedBy = null;
        run.progress.suspended = null;
        run.progress.suspendedBy = null;
        run.progress.suspendedSince = 0;
        run.progress.suspensions = 0;
    }

    @Override
    public Next handle(SpecRun run) {
        ArchitectState back = run.progress.suspended;
        if (back == null) {
            throw new IllegalStateException(
                    "specification " + run.spec.id() + " is suspended, but nothing says from where");
        }
        Duration left = limits.suspendTime().minusMillis(System.currentTimeMillis() - run.progress.suspendedSince);
        // Once it is always tried again, however short the limit: the failure may have been the first in hours.
        if (run.progress.suspensions > 1 && (left.isNegative() || left.isZero())) {
            throw new MaestroException(
                    "gave up after " + limits.suspendTime().toSeconds() + " s in SUSPEND: " + run.progress.suspendedBy,
                    run.suspendedBy);
        }
        SuspensionPause.before(limits, run.suspendedBy, left);
        return new Next(back, "tries again");
    }
}
