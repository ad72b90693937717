package io.maestro.record.internal;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A write whose caller waits for it. */
final class PendingWrite {
    private final GroupCommit.Write write;
    private final CountDownLatch finished = new CountDownLatch(1);
    private volatile @Nullable Throwable failure;

    PendingWrite(GroupCommit.Write write) {
        this.write = write;
    }

    GroupCommit.Write write() {
        return write;
    }

    /** Lets the caller go on; only the first call counts. */
    void finish(@Nullable Throwable reason) {
        if (finished.getCount() > 0) {
            failure = reason;
            finished.countDown();
        }
    }

    boolean await(long nanos) throws InterruptedException {
        return finished.await(nanos, TimeUnit.NANOSECONDS);
    }

    /** Why it was not written; null when it was. */
    @Nullable
    Throwable failure() {
        return failure;
    }
}
