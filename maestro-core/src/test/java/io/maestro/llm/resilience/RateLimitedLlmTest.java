package io.maestro.llm.resilience;

import static io.maestro.llm.resilience.Calls.GO;
import static io.maestro.llm.resilience.Calls.HELLO;
import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.llm.LlmException;
import io.maestro.llm.LlmInterruptedException;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.llm.LlmUnavailableException;
import io.maestro.llm.Usage;
import io.maestro.llm.resilience.Calls.Model;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class RateLimitedLlmTest {
    private static final Model HELLOS = new Model(call -> HELLO);

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void endThreads() throws InterruptedException {
        threads.shutdownNow();
        assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    }

    private static void times(int calls, RateLimitedLlm client) {
        for (int i = 0; i < calls; i++) {
            client.complete(GO);
        }
    }

    /** Compares down to the millisecond: what is computed with fractions ends a nanosecond early or late. */
    private static void assertSlept(TestClock clock, long millis) {
        assertThat(Math.round(clock.slept().toNanos() / 1e6)).isEqualTo(millis);
    }

    @Test
    void holdsBackRequestsThatAMinuteDoesNotAllow() {
        TestClock clock = TestClock.moving(0);
        RateLimitedLlm client = RateLimitedLlm.builder(HELLOS)
                .requestsPerMinute(30)
                .clock(clock)
                .build();

        times(30, client);
        assertThat(clock.sleeps()).isEmpty();

        times(1, client);
        assertSlept(clock, 2000);
        times(9, client);
        assertSlept(clock, 20_000);
    }

    @Test
    void fillsUpWhileNobodyAsksButHoldsNoMoreThanAMinute() {
        TestClock clock = TestClock.moving(0);
        RateLimitedLlm client =
                RateLimitedLlm.builder(HELLOS).requestsPerMinute(6).clock(clock).build();
        times(6, client);

        clock.advance(Duration.ofSeconds(20));
        times(2, client);
        assertThat(clock.sleeps()).isEmpty();

        clock.advance(Duration.ofHours(1));
        times(6, client);
        assertThat(clock.sleeps()).isEmpty();
        times(1, client);
        assertSlept(clock, 10_000);
    }

    @Test
    void anAnswerCorrectsTheEstimateDownwards() {
        TestClock clock = TestClock.moving(0);
        RateLimitedLlm client = RateLimitedLlm.builder(new Model(call -> Calls.answer(new Usage(90, 10, 0, 0))))
                .tokensPerMinute(1000)
                .estimate(request -> 600)
                .clock(clock)
                .build();

        times(5, client);

        assertThat(clock.sleeps()).as("used 500, not 3000").isEmpty();
        times(1, client);
        assertSlept(clock, 6000);
    }

    @Test
    void anAnswerCorrectsTheEstimateUpwards() {
        TestClock clock = TestClock.moving(0);
        RateLimitedLlm client = RateLimitedLlm.builder(new Model(call -> Calls.answer(new Usage(2000, 500, 0, 500))))
                .tokensPerMinute(1000)
                .estimate(request -> 100)
                .longestWait(Duration.ofHours(1))
                .clock(clock)
                .build();

        times(1, client);
        times(1, client);

        // 2000 too many were used, and there must be 100 again.
        assertSlept(clock, 126_000);
    }

    @Test
    void aRequestLargerThanTheBucketWaitsUntilItIsFull() {
        TestClock clock = TestClock.moving(0);
        RateLimitedLlm client = RateLimitedLlm.builder(new Model(call -> Calls.answer(new Usage(1000, 0, 0, 0))))
                .tokensPerMinute(1000)
                .estimate(request -> 1_000_000)
                .clock(clock)
                .build();

        times(2, client);

        assertSlept(clock, 60_000);
    }

    @Test
    void countsWhatWasReadFromACacheOnlyWhenTold() {
        for (boolean counted : new boolean[] {false, true}) {
            TestClock clock = TestClock.moving(0);
            RateLimitedLlm client = RateLimitedLlm.builder(new Model(call -> Calls.answer(new Usage(0, 0, 1000, 0))))
                    .tokensPerMinute(1000)
                    .estimate(request -> 10)
                    .countCacheReads(counted)
                    .clock(clock)
                    .build();

            times(2, client);

            assertSlept(clock, counted ? 600 : 0);
        }
    }

    @Test
    void whatTheServiceRefusedOrNeverSawCostsNoTokens() {
        for (RuntimeException failure : List.of(Calls.refused(), new NotAskedException("open", Duration.ZERO))) {
            TestClock clock = TestClock.moving(0);
            RateLimitedLlm client = RateLimitedLlm.builder(new Model(call -> failure))
                    .tokensPerMinute(1000)
                    .estimate(request -> 1000)
                    .clock(clock)
                    .build();

            for (int i = 0; i < 5; i++) {
                assertThatThrownBy(() -> client.complete(GO)).isSameAs(failure);
            }

            assertThat(clock.sleeps()).isEmpty();
        }
    }

    @Test
    void whatFailedOnTheWayKeepsItsBooking() {
        TestClock clock = TestClock.moving(0);
        RateLimitedLlm client = RateLimitedLlm.builder(new Model(call -> Calls.down()))
                .tokensPerMinute(1000)
                .estimate(request -> 1000)
                .clock(clock)
                .build();

        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> client.complete(GO)).isInstanceOf(LlmUnavailableException.class);
        }

        assertSlept(clock, 60_000);
    }

    @Test
    void giveUpAfterTheLongestWaitAndSayWhenToComeBack() {
        TestClock clock = TestClock.moving(0);
        Model model = new Model(call -> HELLO);
        RateLimitedLlm client = RateLimitedLlm.builder(model)
                .requestsPerMinute(1)
                .longestWait(Duration.ofSeconds(15))
                .clock(clock)
                .build();
        times(1, client);

        assertThatThrownBy(() -> client.complete(GO))
                .isInstanceOfSatisfying(
                        LlmUnavailableException.class,
                        e -> assertThat(e.retryAfter().orElseThrow().toMillis()).isEqualTo(45_000))
                .hasMessageContaining("15000 ms");
        assertThat(model.calls()).isEqualTo(1);
        assertSlept(clock, 15_000);

        clock.advance(Duration.ofSeconds(45));
        times(1, client);
        assertSlept(clock, 15_000);
    }

    /** The first needs a whole minute's tokens, those behind it less: nobody passes it. */
    @Test
    void servesThoseWhoWaitInTheOrderInWhichTheyCame() throws Exception {
        TestClock clock = TestClock.still();
        List<String> served = new CopyOnWriteArrayList<>();
        RateLimitedLlm client = RateLimitedLlm.builder(
                        new Model(call -> Calls.answer(new Usage(call <= 2 ? 100 : 60, 0, 0, 0))))
                .tokensPerMinute(100)
                .estimate(request -> request.origin().agentId().equals("waiting-0") ? 100 : 60)
                .longestWait(Duration.ofHours(1))
                .clock(clock)
                .build();
        times(1, client);
        List<Future<?>> waiting = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            String name = "waiting-" + i;
            AtomicReference<Thread> thread = new AtomicReference<>();
            waiting.add(threads.submit(() -> {
                thread.set(Thread.currentThread());
                client.complete(from(name));
                served.add(name);
            }));
            until(() -> isWaiting(thread.get()));
        }

        clock.advance(Duration.ofSeconds(59));
        assertThat(served).isEmpty();
        for (int i = 0; i < 4; i++) {
            int count = i + 1;
            clock.advance(Duration.ofSeconds(61));
            until(() -> served.size() == count);
        }

        for (Future<?> one : waiting) {
            one.get(60, TimeUnit.SECONDS);
        }
        assertThat(served).containsExactly("waiting-0", "waiting-1", "waiting-2", "waiting-3");
    }

    /** There is room for two: the first of them does not end before the second has begun. */
    @Test
    void aCorrectionWakesTheOneWhoWaitsAndThatOneTheNext() throws Exception {
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch third = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        RateLimitedLlm client = RateLimitedLlm.builder(new Model(call -> {
                    if (call == 1) {
                        first.countDown();
                        await(goOn);
                    } else if (call == 2) {
                        await(third);
                    } else {
                        third.countDown();
                    }
                    return HELLO;
                }))
                .tokensPerMinute(100)
                .estimate(request -> request.origin().agentId().equals("first") ? 100 : 50)
                .clock(TestClock.stopped())
                .build();
        List<Future<LlmResponse>> calls = new ArrayList<>();
        calls.add(threads.submit(() -> client.complete(from("first"))));
        await(first);
        for (int i = 0; i < 2; i++) {
            AtomicReference<Thread> thread = new AtomicReference<>();
            calls.add(threads.submit(() -> {
                thread.set(Thread.currentThread());
                return client.complete(GO);
            }));
            until(() -> isWaiting(thread.get()));
        }

        goOn.countDown();

        for (Future<LlmResponse> call : calls) {
            assertThat(call.get(60, TimeUnit.SECONDS)).isEqualTo(HELLO);
        }
    }

    @Test
    void anInterruptEndsTheWaitAndLeavesThePlaceToOthers() throws Exception {
        TestClock clock = TestClock.still();
        Model model = new Model(call -> HELLO);
        RateLimitedLlm client = RateLimitedLlm.builder(model)
                .requestsPerMinute(1)
                .longestWait(Duration.ofHours(1))
                .clock(clock)
                .build();
        times(1, client);
        ExecutorService one = Executors.newSingleThreadExecutor();
        try {
            CountDownLatch started = new CountDownLatch(1);
            Future<Boolean> interrupted = one.submit(() -> {
                started.countDown();
                try {
                    client.complete(GO);
                    return false;
                } catch (LlmInterruptedException e) {
                    return Thread.currentThread().isInterrupted();
                }
            });
            await(started);
            one.shutdownNow();
            assertThat(interrupted.get(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            one.shutdownNow();
        }
        assertThat(model.calls()).isEqualTo(1);

        clock.advance(Duration.ofMinutes(1));
        times(1, client);
        assertThat(model.calls()).isEqualTo(2);
    }

    @Test
    void neverLetsMoreThroughThanTheLimitHoweverManyAsk() throws Exception {
        TestClock clock = TestClock.still();
        Model model = new Model(call -> HELLO);
        RateLimitedLlm client = RateLimitedLlm.builder(model)
                .requestsPerMinute(10)
                .longestWait(Duration.ofDays(1))
                .clock(clock)
                .build();
        List<Future<?>> callers = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            callers.add(threads.submit(() -> times(5, client)));
        }

        for (int done = 10; done < 80; done += 10) {
            int expected = done;
            until(() -> model.calls() >= expected);
            assertThat(model.calls()).isEqualTo(expected);
            clock.advance(Duration.ofMinutes(1));
        }

        for (Future<?> caller : callers) {
            caller.get(60, TimeUnit.SECONDS);
        }
        assertThat(model.calls()).isEqualTo(80);
    }

    @Test
    void estimatesByTheSizeOfTheRequest() {
        assertThat(TokenEstimate.of(GO)).isEqualTo(250);
    }

    @Test
    void refusesSettingsOutOfRange() {
        RateLimitedLlm.Builder builder = RateLimitedLlm.builder(HELLOS);

        assertThatThrownBy(builder::build).hasMessageContaining("requestsPerMinute or tokensPerMinute");
        assertThatThrownBy(() -> builder.requestsPerMinute(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.tokensPerMinute(-5)).hasMessageContaining("-5");
        assertThatThrownBy(() -> builder.longestWait(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
    }

    private static LlmRequest from(String agent) {
        return new LlmRequest(
                new LlmRequest.Origin(agent, "042", "CODING"),
                GO.system(),
                GO.messages(),
                GO.tools(),
                GO.maxTokens(),
                GO.temperature());
    }

    private static boolean isWaiting(@Nullable Thread thread) {
        return thread != null && Arrays.toString(thread.getStackTrace()).contains("TestClock.await");
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new LlmException("interrupted", e);
        }
    }

    private static void until(BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("60 s are over").isLessThan(end);
            LockSupport.parkNanos(1_000_000);
        }
    }
}
