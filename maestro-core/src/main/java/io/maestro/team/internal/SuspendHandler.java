package io.maestro.team.internal;

import io.maestro.agent.CoderState;
import io.maestro.agent.Limits;
import io.maestro.error.MaestroException;
import io.maestro.error.RetriableException;
import java.time.Duration;

/**
 * SUSPEND: a service is down. Waits, then goes back to where the story was, which tries again; all state is kept. A story
 * that waits too long in a row ends in ERROR. The time begins with the first failure after the service's last good answer.
 */
final class SuspendHandler implements StateHandler {
    private final Limits limits;

    SuspendHandler(Limits limits) {
        this.limits = limits;
    }

    /** A service did not answer: notes it, and says where to go. */
    Next suspend(StoryRun run, RetriableException failure) {
        run.suspend(failure);
        return new Next(
                CoderState.SUSPEND,
                failure.getMessage() + " (tried again for up to "
                        + limits.suspendTime().toSeconds() + " s)");
    }

    @Override
    public Next handle(StoryRun run) {
        CoderState back = run.progress.suspended;
        RetriableException failure = run.suspendedBy;
        if (back == null) {
            throw new IllegalStateException("story " + run.story.id() + " is suspended, but nothing says from where");
        }
        if (failure == null) {
            return new Next(back, "tries again after a restart");
        }
        Duration left = limits.suspendTime().minusMillis(System.currentTimeMillis() - run.progress.suspendedSince);
        // Once it is always tried again, however short the limit: the failure may have been the first in hours.
        if (run.progress.suspensions > 1 && (left.isNegative() || left.isZero())) {
            throw new MaestroException(
                    "gave up after " + limits.suspendTime().toSeconds() + " s in SUSPEND: " + failure.getMessage(),
                    failure);
        }
        SuspensionPause.before(limits, failure, left);
        return new Next(back, "tries again");
    }
}
