package io.maestro.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class UninterruptedTest {
    @AfterEach
    void theInterruptIsHandedOn() {
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aWaitIsBegunAgain() {
        AtomicInteger waits = new AtomicInteger();
        try (Uninterrupted uninterrupted = new Uninterrupted()) {
            Thread.currentThread().interrupt();
            assertThat(uninterrupted.<String>again(() -> {
                        waits.incrementAndGet();
                        Thread.sleep(1);
                        return "done";
                    }))
                    .isEqualTo("done");
            assertThat(waits).hasValue(2);
            assertThat(uninterrupted.wasInterrupted()).isTrue();
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        }
    }

    @Test
    void aSleepIsNotCutShort() {
        long start = System.nanoTime();
        try (Uninterrupted uninterrupted = new Uninterrupted()) {
            Thread.currentThread().interrupt();
            uninterrupted.sleep(20);
        }
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(20));
    }

    @Test
    void aTaskIsAwaitedHoweverItEndsButNotForEver() {
        try (Uninterrupted uninterrupted = new Uninterrupted()) {
            Thread.currentThread().interrupt();
            CompletableFuture<Void> open = new CompletableFuture<>();
            assertThat(uninterrupted.await(open, Duration.ofMillis(1))).isFalse();
            open.cancel(false);
            assertThat(uninterrupted.await(open, Duration.ofSeconds(60))).isTrue();
            assertThat(uninterrupted.await(
                            CompletableFuture.failedFuture(new IllegalStateException()), Duration.ofSeconds(60)))
                    .isTrue();
        }
    }

    @Test
    void interruptsDoNotMakeATimeLonger() {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(20);
        Thread.currentThread().interrupt();
        long left = Uninterrupted.until(deadline, nanos -> {
            if (nanos > 0) {
                Thread.currentThread().interrupt();
                TimeUnit.NANOSECONDS.sleep(nanos);
            }
            return nanos;
        });
        assertThat(left).isLessThanOrEqualTo(0);
        assertThat(System.nanoTime() - deadline).isNotNegative();
        assertThat(Uninterrupted.isEnded(new CompletableFuture<>(), Duration.ofMillis(1)))
                .isFalse();
        assertThat(Uninterrupted.isEnded(CompletableFuture.completedFuture("x"), Duration.ZERO))
                .isTrue();
        long start = System.nanoTime();
        Uninterrupted.pause(Duration.ofMillis(5));
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(5));
    }

    @Test
    void whatIsClosedIsNotInterruptedAndItsFailureChangesNothing() {
        Thread.currentThread().interrupt();
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        Uninterrupted.closing("a test", () -> {
            interrupted.complete(Thread.currentThread().isInterrupted());
            throw new IOException("the disk is full");
        });
        assertThat(interrupted).isCompletedWithValue(false);
    }

    @Test
    void workIsDoneWhereNobodyInterrupts() {
        Thread own = Thread.currentThread();
        CountDownLatch begun = new CountDownLatch(1);
        own.interrupt();
        String result = Uninterrupted.get(() -> {
            begun.countDown();
            Thread worker = Thread.currentThread();
            assertThat(worker).isNotSameAs(own);
            assertThat(worker.isInterrupted()).isFalse();
            // Work in such work stays there.
            return Uninterrupted.get(() -> Thread.currentThread() == worker ? "same" : "another");
        });
        assertThat(result).isEqualTo("same");
        assertThat(begun.getCount()).isZero();
    }

    @Test
    void whatWorkThrowsIsThrown() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> Uninterrupted.run(() -> {
                    throw new IllegalStateException("no");
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("no");
        assertThatThrownBy(() -> Uninterrupted.run(() -> {
                    throw new AssertionError("never");
                }))
                .isInstanceOf(AssertionError.class);
    }
}
