package io.maestro.llm.resilience;

import static io.maestro.llm.resilience.Calls.GO;
import static io.maestro.llm.resilience.Calls.HELLO;
import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmInterruptedException;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.llm.LlmStreamListener;
import io.maestro.llm.LlmUnavailableException;
import io.maestro.llm.resilience.Calls.Model;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class TimeLimitedLlmTest {
    private static final Duration SHORT = Duration.ofMillis(20);

    private final CountDownLatch interrupted = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final CountDownLatch asked = new CountDownLatch(1);
    private final AtomicReference<Thread> caller = new AtomicReference<>();

    /** Notes an interrupt, and goes on waiting. */
    private final Model stubborn = new Model(call -> {
        caller.set(Thread.currentThread());
        asked.countDown();
        while (true) {
            try {
                goOn.await();
                return HELLO;
            } catch (InterruptedException e) {
                interrupted.countDown();
            }
        }
    });

    @AfterEach
    void endCall() throws InterruptedException {
        goOn.countDown();
        Thread thread = caller.get();
        if (thread != null) {
            thread.join(60_000);
            assertThat(thread.isAlive()).isFalse();
        }
    }

    @Test
    void passesOnTheAnswerInTime() {
        TimeLimitedLlm client = TimeLimitedLlm.of(new Model(call -> HELLO), Duration.ofHours(1));

        assertThat(client.complete(GO)).isSameAs(HELLO);
        assertThat(client.model()).isEqualTo("m");
    }

    @Test
    void doesNotWaitForAClientThatIgnoresInterrupts() throws Exception {
        TimeLimitedLlm client = TimeLimitedLlm.of(stubborn, SHORT);

        assertThatThrownBy(() -> client.complete(GO))
                .isInstanceOf(LlmUnavailableException.class)
                .hasMessage("m did not answer within 20 ms");

        if (asked.await(10, TimeUnit.SECONDS)) {
            assertThat(interrupted.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(caller.get().isDaemon()).isTrue();
        }
    }

    @Test
    void aCallerThatIsInterruptedDoesNotWaitEither() throws Exception {
        TimeLimitedLlm client = TimeLimitedLlm.of(stubborn, Duration.ofHours(1));
        ExecutorService one = Executors.newSingleThreadExecutor();
        try {
            Future<Boolean> ended = one.submit(() -> {
                try {
                    client.complete(GO);
                    return false;
                } catch (LlmInterruptedException e) {
                    return Thread.currentThread().isInterrupted();
                }
            });
            assertThat(asked.await(60, TimeUnit.SECONDS)).isTrue();
            one.shutdownNow();

            assertThat(ended.get(60, TimeUnit.SECONDS)).isTrue();
            assertThat(interrupted.await(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            one.shutdownNow();
        }
    }

    @Test
    void aClientThatNeverStopsTalkingIsEndedToo() throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        AtomicBoolean over = new AtomicBoolean();
        LlmClient talker = new LlmClient() {
            @Override
            public String model() {
                return "m";
            }

            @Override
            public LlmResponse complete(LlmRequest request) {
                throw new AssertionError("a listener is there");
            }

            @Override
            public LlmResponse complete(LlmRequest request, LlmStreamListener listener) {
                try {
                    while (true) {
                        listener.onText("blah");
                        LockSupport.parkNanos(1_000_000);
                    }
                } finally {
                    ended.countDown();
                }
            }
        };
        AtomicInteger late = new AtomicInteger();

        assertThatThrownBy(() -> TimeLimitedLlm.of(talker, Duration.ofMillis(100))
                        .complete(GO, text -> {
                            if (over.get()) {
                                late.incrementAndGet();
                            }
                        }))
                .isInstanceOf(LlmUnavailableException.class);
        over.set(true);

        assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(late).hasValue(0);
    }

    @Test
    void throwsWhatTheClientThrows() {
        for (Throwable failure : new Throwable[] {
            Calls.refused(), Calls.down(), new IllegalStateException("a fault"), new StackOverflowError()
        }) {
            TimeLimitedLlm client = TimeLimitedLlm.of(new Model(call -> failure), Duration.ofHours(1));

            assertThatThrownBy(() -> client.complete(GO)).isSameAs(failure);
        }
    }

    @Test
    void anInterruptThatTheClientReportsIsThatOfTheCaller() {
        TimeLimitedLlm client = TimeLimitedLlm.of(
                new Model(call -> new LlmInterruptedException("m: interrupted", null)), Duration.ofHours(1));

        assertThatThrownBy(() -> client.complete(GO)).isInstanceOf(LlmInterruptedException.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void refusesALimitOutOfRange() {
        assertThatThrownBy(() -> TimeLimitedLlm.of(stubborn, Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("PT0S");
    }
}
