package io.maestro.project.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TestSlotsTest {
    private static void waiting(TestSlots slots, Supplier<TestSlots.Rank> rank, Runnable run, CountDownLatch end) {
        Thread thread = new Thread(() -> {
            try (TestSlots.TestSlot slot = slots.take(rank)) {
                run.run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            end.countDown();
        });
        thread.start();
        while (thread.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
    }

    @Test
    void whoIsMergedNextGoesFirst() throws Exception {
        TestSlots slots = new TestSlots(1);
        List<TestSlots.Rank> log = new CopyOnWriteArrayList<>();
        CountDownLatch end = new CountDownLatch(3);
        try (TestSlots.TestSlot slot = slots.take(() -> TestSlots.Rank.WORKER)) {
            for (TestSlots.Rank rank : List.of(TestSlots.Rank.AHEAD, TestSlots.Rank.WORKER, TestSlots.Rank.HEAD)) {
                waiting(slots, () -> rank, () -> log.add(rank), end);
            }
            assertThat(log).isEmpty();
        }
        assertThat(end.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(log).containsExactly(TestSlots.Rank.HEAD, TestSlots.Rank.WORKER, TestSlots.Rank.AHEAD);
    }

    @Test
    void whoIsNextInTheMeantimeGoesFirst() throws Exception {
        TestSlots slots = new TestSlots(1);
        AtomicReference<TestSlots.Rank> rank = new AtomicReference<>(TestSlots.Rank.AHEAD);
        List<String> log = new CopyOnWriteArrayList<>();
        CountDownLatch end = new CountDownLatch(2);
        try (TestSlots.TestSlot slot = slots.take(() -> TestSlots.Rank.WORKER)) {
            waiting(slots, () -> TestSlots.Rank.WORKER, () -> log.add("coder"), end);
            waiting(slots, rank::get, () -> log.add("story"), end);
            rank.set(TestSlots.Rank.HEAD);
        }
        assertThat(end.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(log).containsExactly("story", "coder");
    }

    @Test
    void whoIsInterruptedTakesNone() throws Exception {
        TestSlots slots = new TestSlots(1);
        try (TestSlots.TestSlot slot = slots.take(() -> TestSlots.Rank.WORKER)) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> slots.take(() -> TestSlots.Rank.HEAD)).isInstanceOf(InterruptedException.class);
        }
        slots.take(() -> TestSlots.Rank.WORKER).close();
        slots.take(() -> TestSlots.Rank.WORKER).close();
    }
}
