package io.maestro.team.internal.machine;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.event.MaestroEvent;
import io.maestro.event.MaestroListener;
import io.maestro.internal.Threads;
import io.maestro.testing.Await;
import io.maestro.testing.Full;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Listeners that are slow, many, broken or stuck. */
@Timeout(60)
class EventQueuesTest {
    private final EventQueues queues = new EventQueues();
    private final CountDownLatch gate = new CountDownLatch(1);

    @AfterEach
    void close() {
        gate.countDown();
        queues.close();
    }

    private static MaestroEvent event(int number) {
        return new MaestroEvent.ChatPosted("042", "host", number, "text", Instant.EPOCH);
    }

    private static long number(MaestroEvent event) {
        return event instanceof MaestroEvent.ChatPosted posted ? posted.number() : -1;
    }

    private void waits() {
        await(gate);
    }

    @Test
    void eachIsToldInOrderAndNobodyWaitsForAnother() throws Exception {
        List<Long> told = new CopyOnWriteArrayList<>();
        MaestroListener slow = queues.of((MaestroListener) event -> waits());
        MaestroListener quick = queues.of((MaestroListener) event -> told.add(number(event)));
        for (int i = 0; i < 1_000; i++) {
            slow.onEvent(event(i));
            quick.onEvent(event(i));
        }
        Await.until("all is told", () -> told.size() == 1_000);
        assertThat(told)
                .isEqualTo(IntStream.range(0, 1_000).mapToObj(Long::valueOf).toList());
        CompletableFuture<?> delivered = queues.delivered();
        assertThat(delivered).isNotDone();
        gate.countDown();
        delivered.get(30, TimeUnit.SECONDS);
    }

    @Test
    void whoIsFarTooSlowIsToldWhatIsMissing() {
        List<MaestroEvent> told = new CopyOnWriteArrayList<>();
        MaestroListener slow = queues.of((MaestroListener) event -> {
            waits();
            told.add(event);
        });
        int more = 7;
        for (int i = 0; i < EventQueue.MOST + more; i++) {
            slow.onEvent(event(i));
        }
        gate.countDown();
        Await.until("it has caught up", () -> told.size() > EventQueue.MOST);
        slow.onEvent(event(-7));
        Await.until("it goes on", () -> told.size() == EventQueue.MOST + 2);
        assertThat(((MaestroEvent.EventsLost) told.get(EventQueue.MOST)).count())
                .isEqualTo(more);
        assertThat(number(told.get(EventQueue.MOST + 1))).isEqualTo(-7);
    }

    @Test
    void theEndOfWorkComesAfterItsEventsAndNotWithoutEnd() throws Exception {
        List<Long> told = new ArrayList<>();
        MaestroListener listener = queues.of((MaestroListener) event -> told.add(number(event)));
        for (int i = 0; i < 500; i++) {
            listener.onEvent(event(i));
        }
        assertThat(queues.after(CompletableFuture.completedFuture("done")).get(30, TimeUnit.SECONDS))
                .isEqualTo("done");
        assertThat(told).hasSize(500);

        queues.of((MaestroListener) event -> waits()).onEvent(event(1));
        long start = System.nanoTime();
        CompletableFuture<String> failed =
                queues.after(CompletableFuture.failedFuture(new IllegalStateException("no")));
        assertThat(failed)
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableThat()
                .withMessageContaining("no");
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(EventQueues.PATIENCE.toNanos() - 100_000_000);
    }

    @Test
    void oneThatThrowsOrInterruptsIsToldTheNext() throws Exception {
        List<Long> told = new CopyOnWriteArrayList<>();
        MaestroListener broken = queues.of((MaestroListener) event -> {
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            told.add(number(event));
            Thread.currentThread().interrupt();
            throw new StackOverflowError();
        });
        broken.onEvent(event(1));
        broken.onEvent(event(2));
        queues.delivered().get(30, TimeUnit.SECONDS);
        assertThat(told).containsExactly(1L, 2L);
    }

    /** A listener may wait for work of its own, or close the Maestro. */
    @Test
    void whoIsToldSomethingDoesNotWaitForItself() throws Exception {
        CompletableFuture<Boolean> waited = new CompletableFuture<>();
        queues.of((MaestroListener) event -> waited.complete(queues.delivered().isDone()))
                .onEvent(event(1));
        assertThat(waited.get(30, TimeUnit.SECONDS)).isTrue();
    }

    /** What a host does then may take as long as another story. */
    /** What it was yet to be told is lost; nobody waits for that. */
    @Test
    void whoClosesWhileItIsToldSomethingHoldsUpNobody() throws Exception {
        MaestroListener closes = queues.of((MaestroListener) event -> {
            waits();
            queues.close();
        });
        for (int i = 0; i < 3; i++) {
            closes.onEvent(event(i));
        }
        CompletableFuture<?> delivered = queues.delivered();
        gate.countDown();
        delivered.get(EventQueues.PATIENCE.minusSeconds(1).toMillis(), TimeUnit.MILLISECONDS);
    }

    @Test
    void whoGoesOnAfterTheEndHoldsUpNoListener() throws Exception {
        List<Long> told = new CopyOnWriteArrayList<>();
        CountDownLatch begun = new CountDownLatch(1);
        MaestroListener listener = queues.of((MaestroListener) event -> {
            await(begun);
            told.add(number(event));
        });
        listener.onEvent(event(1));
        CompletableFuture<?> next =
                queues.after(CompletableFuture.completedFuture("done")).thenRun(this::waits);
        begun.countDown();
        Await.until("the first is told", () -> told.size() == 1);
        listener.onEvent(event(2));
        Await.until("the second is told", () -> told.size() == 2);
        gate.countDown();
        next.get(30, TimeUnit.SECONDS);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(50, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    @Full("five seconds, for which a close waits")
    void whoIsSlowIsToldNothingAfterTheEnd() {
        List<Long> told = new CopyOnWriteArrayList<>();
        MaestroListener slow = queues.of((MaestroListener) event -> {
            told.add(number(event));
            waits();
        });
        slow.onEvent(event(1));
        slow.onEvent(event(2));
        queues.close();
        slow.onEvent(event(3));
        gate.countDown();
        assertThat(queues.delivered()).succeedsWithin(Duration.ofSeconds(30));
        assertThat(told).containsExactly(1L);
    }

    /** A machine that has too many threads for a while. */
    @Test
    void whatHasNoThreadIsToldLaterAndEndsNoWork() throws Exception {
        AtomicInteger refusals = new AtomicInteger(2);
        ExecutorService threads = Threads.newExecutor("told");
        try {
            Executor few = task -> {
                if (refusals.getAndDecrement() > 0) {
                    throw new OutOfMemoryError("unable to create native thread");
                }
                threads.execute(task);
            };
            List<Long> told = new CopyOnWriteArrayList<>();
            EventQueue queue = new EventQueue(event -> told.add(number(event)), few, ConcurrentHashMap.newKeySet());
            queue.onEvent(event(1));
            CompletableFuture<?> first = queue.delivered();
            first.get(30, TimeUnit.SECONDS);
            assertThat(told).containsExactly(1L);
            CountDownLatch begun = new CountDownLatch(1);
            EventQueue second = new EventQueue(event -> await(begun), few, ConcurrentHashMap.newKeySet());
            second.onEvent(event(2));
            CompletableFuture<?> delivered = second.delivered();
            // Now there is none for those who wait for the end.
            refusals.set(2);
            begun.countDown();
            delivered.get(30, TimeUnit.SECONDS);
            assertThat(refusals.get()).isNegative();
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void nobodyIsToldAfterTheEnd() {
        List<Long> told = new CopyOnWriteArrayList<>();
        MaestroListener listener = queues.of((MaestroListener) event -> told.add(number(event)));
        listener.onEvent(event(1));
        queues.close();
        listener.onEvent(event(2));
        listener.onEvent(event(3));
        assertThat(told).containsExactly(1L);
        assertThat(queues.delivered()).isDone();
    }
}
