package io.maestro.llm.resilience;

import static io.maestro.llm.resilience.Calls.GO;
import static io.maestro.llm.resilience.Calls.HELLO;
import static io.maestro.llm.resilience.Calls.down;
import static io.maestro.llm.resilience.Calls.refused;
import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmException;
import io.maestro.llm.LlmInterruptedException;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.llm.LlmUnavailableException;
import io.maestro.llm.resilience.Calls.Model;
import io.maestro.llm.resilience.CircuitBreakerLlm.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class CircuitBreakerLlmTest {
    private static final Duration OPEN = Duration.ofSeconds(30);

    private final TestClock clock = TestClock.still();
    private final AtomicReference<Object> outcome = new AtomicReference<>(HELLO);
    private final Model model = new Model(call -> outcome.get());
    private final CircuitBreakerLlm breaker = breaker(model);
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void endThreads() throws InterruptedException {
        threads.shutdownNow();
        assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    }

    private CircuitBreakerLlm breaker(LlmClient client) {
        return CircuitBreakerLlm.builder(client)
                .maxFailures(3)
                .window(Duration.ofMinutes(1))
                .openTime(OPEN)
                .clock(clock)
                .build();
    }

    private void callThatIs(Object what) {
        outcome.set(what);
        try {
            assertThat(breaker.complete(GO)).isSameAs(what);
        } catch (RuntimeException e) {
            assertThat(e).isSameAs(what);
        }
    }

    private void open() {
        for (int i = 0; i < 3; i++) {
            callThatIs(down());
        }
        assertThat(breaker.state()).isEqualTo(State.OPEN);
    }

    private Duration retryAfterOfARefusal() {
        int before = model.calls();
        LlmUnavailableException e = catchThrowableOfType(LlmUnavailableException.class, () -> breaker.complete(GO));
        assertThat(e).isNotNull().hasMessageContaining("m was not asked");
        assertThat(model.calls()).isEqualTo(before);
        return e.retryAfter().orElseThrow();
    }

    @Test
    void passesOnWhatItGets() {
        callThatIs(HELLO);
        callThatIs(refused());
        callThatIs(down());

        assertThat(breaker.state()).isEqualTo(State.CLOSED);
        assertThat(breaker.model()).isEqualTo("m");
    }

    @Test
    void opensAfterFailuresInARowAndSaysWhenItProbes() {
        open();

        assertThat(retryAfterOfARefusal()).isEqualTo(OPEN);
        clock.advance(Duration.ofSeconds(12));
        assertThat(retryAfterOfARefusal()).isEqualTo(Duration.ofSeconds(18));
        assertThatThrownBy(() -> breaker.complete(GO)).hasMessageContaining("HTTP 529");
    }

    @Test
    void anAnswerBetweenFailuresKeepsItClosed() {
        for (Object between : new Object[] {HELLO, refused()}) {
            callThatIs(down());
            callThatIs(down());
            callThatIs(between);
        }

        assertThat(breaker.state()).isEqualTo(State.CLOSED);
    }

    @Test
    void failuresFarApartKeepItClosed() {
        for (int i = 0; i < 20; i++) {
            callThatIs(down());
            clock.advance(Duration.ofSeconds(31));
        }

        assertThat(breaker.state()).isEqualTo(State.CLOSED);
    }

    @Test
    void whatSaysNothingOfTheServiceDoesNotCount() {
        callThatIs(down());
        callThatIs(down());
        for (int i = 0; i < 5; i++) {
            callThatIs(new LlmInterruptedException("m: interrupted", null));
            callThatIs(new IllegalStateException("a fault"));
            callThatIs(new NotAskedException("a rate limit", OPEN));
        }
        assertThat(breaker.state()).isEqualTo(State.CLOSED);

        callThatIs(down());
        assertThat(breaker.state()).isEqualTo(State.OPEN);
    }

    @Test
    void anAnsweredProbeClosesIt() {
        open();
        clock.advance(OPEN);

        callThatIs(HELLO);

        assertThat(breaker.state()).isEqualTo(State.CLOSED);
        callThatIs(down());
        callThatIs(down());
        assertThat(breaker.state()).as("counted from the start").isEqualTo(State.CLOSED);
    }

    @Test
    void aRefusedProbeClosesItAsTheServiceIsUp() {
        open();
        clock.advance(OPEN);

        callThatIs(refused());

        assertThat(breaker.state()).isEqualTo(State.CLOSED);
    }

    @Test
    void aFailedProbeKeepsItOpenForAsLongAgain() {
        open();
        clock.advance(OPEN.plusSeconds(5));

        callThatIs(down());

        assertThat(breaker.state()).isEqualTo(State.OPEN);
        assertThat(retryAfterOfARefusal()).isEqualTo(OPEN);
    }

    @Test
    void afterAnInterruptedProbeTheNextCallIsOne() {
        open();
        clock.advance(OPEN);

        callThatIs(new LlmInterruptedException("m: interrupted", null));
        assertThat(breaker.state()).isEqualTo(State.OPEN);
        callThatIs(HELLO);

        assertThat(breaker.state()).isEqualTo(State.CLOSED);
    }

    /** A client that waits until it may go on. */
    private static final class Held implements LlmClient {
        private final CountDownLatch asked = new CountDownLatch(1);
        private final CountDownLatch goOn = new CountDownLatch(1);
        private final AtomicInteger calls = new AtomicInteger();

        @Override
        public String model() {
            return "m";
        }

        @Override
        public LlmResponse complete(LlmRequest request) {
            int call = calls.incrementAndGet();
            if (call <= 3) {
                throw down();
            }
            asked.countDown();
            try {
                assertThat(goOn.await(60, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            return HELLO;
        }
    }

    @Test
    void letsOneProbeThroughAndRefusesTheOthersMeanwhile() throws Exception {
        Held held = new Held();
        CircuitBreakerLlm shared = breaker(held);
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> shared.complete(GO)).isInstanceOf(LlmUnavailableException.class);
        }
        clock.advance(OPEN);
        Future<LlmResponse> probe = threads.submit(() -> shared.complete(GO));
        assertThat(held.asked.await(60, TimeUnit.SECONDS)).isTrue();

        List<Future<Boolean>> others = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            others.add(threads.submit(() -> {
                assertThatThrownBy(() -> shared.complete(GO))
                        .isInstanceOfSatisfying(
                                LlmUnavailableException.class,
                                e -> assertThat(e.retryAfter()).contains(OPEN));
                return true;
            }));
        }
        for (Future<Boolean> other : others) {
            assertThat(other.get(60, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(shared.state()).isEqualTo(State.HALF_OPEN);
        held.goOn.countDown();

        assertThat(probe.get(60, TimeUnit.SECONDS)).isEqualTo(HELLO);
        assertThat(shared.state()).isEqualTo(State.CLOSED);
        assertThat(held.calls).hasValue(4);
    }

    @Test
    void aCallThatBeganBeforeItOpenedDoesNotCloseIt() throws Exception {
        Held slow = new Held();
        slow.calls.set(3);
        CountDownLatch first = slow.asked;
        AtomicInteger call = new AtomicInteger();
        CircuitBreakerLlm shared = breaker(new LlmClient() {
            @Override
            public String model() {
                return "m";
            }

            @Override
            public LlmResponse complete(LlmRequest request) {
                if (call.incrementAndGet() == 1) {
                    return slow.complete(request);
                }
                throw down();
            }
        });
        Future<LlmResponse> early = threads.submit(() -> shared.complete(GO));
        assertThat(first.await(60, TimeUnit.SECONDS)).isTrue();
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> shared.complete(GO)).isInstanceOf(LlmUnavailableException.class);
        }

        slow.goOn.countDown();

        assertThat(early.get(60, TimeUnit.SECONDS)).isEqualTo(HELLO);
        assertThat(shared.state()).isEqualTo(State.OPEN);
    }

    /** However calls end and time passes: at most one is under way when it is not closed, and it always recovers. */
    @Test
    void neverLetsTwoThroughWhileItIsNotClosed() throws Exception {
        long seed = System.nanoTime();
        AtomicInteger running = new AtomicInteger();
        AtomicInteger probes = new AtomicInteger();
        AtomicReference<Object> way = new AtomicReference<>(down());
        AtomicReference<CircuitBreakerLlm> self = new AtomicReference<>();
        LlmClient client = new LlmClient() {
            @Override
            public String model() {
                return "m";
            }

            @Override
            public LlmResponse complete(LlmRequest request) {
                if (self.get().state() == State.HALF_OPEN) {
                    int now = running.incrementAndGet();
                    probes.incrementAndGet();
                    Thread.yield();
                    running.decrementAndGet();
                    if (now > 1) {
                        throw new AssertionError(now + " probes at once");
                    }
                }
                if (way.get() instanceof RuntimeException failure) {
                    throw failure;
                }
                return HELLO;
            }
        };
        self.set(breaker(client));
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> self.get().complete(GO)).isInstanceOf(LlmUnavailableException.class);
        }
        List<Future<?>> callers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Random random = new Random(seed + i);
            callers.add(threads.submit(() -> {
                for (int round = 0; round < 500; round++) {
                    if (random.nextInt(4) == 0) {
                        clock.advance(OPEN);
                    }
                    try {
                        self.get().complete(GO);
                    } catch (LlmException | LlmUnavailableException e) {
                        // What it answers is not asked here.
                    }
                }
            }));
        }
        for (Future<?> caller : callers) {
            caller.get(60, TimeUnit.SECONDS);
        }
        assertThat(probes.get()).as("seed %s", seed).isPositive();

        way.set(HELLO);
        clock.advance(OPEN);
        assertThat(self.get().complete(GO)).isEqualTo(HELLO);
        assertThat(self.get().state()).isEqualTo(State.CLOSED);
    }

    @Test
    void refusesSettingsOutOfRange() {
        CircuitBreakerLlm.Builder builder = CircuitBreakerLlm.builder(model);

        assertThatThrownBy(() -> builder.maxFailures(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.window(Duration.ZERO)).hasMessageContaining("window");
        assertThatThrownBy(() -> builder.openTime(Duration.ofDays(2))).hasMessageContaining("open time");
    }
}
