package io.maestro.llm.resilience;

import static io.maestro.llm.resilience.Calls.GO;
import static io.maestro.llm.resilience.Calls.HELLO;
import static io.maestro.llm.resilience.Calls.down;
import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmContextOverflowException;
import io.maestro.llm.LlmException;
import io.maestro.llm.LlmInterruptedException;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.llm.LlmStreamListener;
import io.maestro.llm.LlmUnavailableException;
import io.maestro.llm.resilience.Calls.Model;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RetryingLlmTest {
    private static final Model DOWN = new Model(call -> down());

    @Test
    void asksAgainUntilItIsAnswered() {
        Model model = new Model(call -> call < 4 ? down() : HELLO);
        TestClock clock = TestClock.moving(0.5);

        assertThat(RetryingLlm.builder(model).clock(clock).build().complete(GO)).isEqualTo(HELLO);

        assertThat(model.calls()).isEqualTo(4);
        assertThat(clock.sleeps())
                .containsExactly(Duration.ofMillis(250), Duration.ofMillis(500), Duration.ofMillis(1000));
    }

    @Test
    void mayBeChargedWhenAnyOfTheAttemptsMayBe() {
        for (int cut : new int[] {0, 1, 3}) {
            Model model = new Model(call -> new LlmUnavailableException("m: down", null, null, call == cut));

            assertThatThrownBy(() -> RetryingLlm.builder(model)
                            .maxRetries(2)
                            .clock(TestClock.moving(0.5))
                            .build()
                            .complete(GO))
                    .isInstanceOfSatisfying(
                            LlmUnavailableException.class,
                            failure -> assertThat(failure.mayBeCharged()).isEqualTo(cut > 0));
        }
    }

    @Test
    void mayBeChargedWhenAnAttemptWasCutBeforeTheLastWasRefused() {
        List<LlmException> refusals =
                List.of(new LlmException("m: no such key", null), new LlmContextOverflowException("m: too long", null));
        for (LlmException refused : refusals) {
            for (boolean cut : new boolean[] {false, true}) {
                Model model = new Model(
                        call -> call == 1 ? new LlmUnavailableException("m: down", null, null, cut) : refused);

                assertThatThrownBy(() -> RetryingLlm.builder(model)
                                .clock(TestClock.moving(0.5))
                                .build()
                                .complete(GO))
                        .isExactlyInstanceOf(refused.getClass())
                        .hasMessage(refused.getMessage())
                        .extracting(failure -> ((LlmException) failure).mayBeCharged())
                        .isEqualTo(cut);
            }
        }
    }

    @Test
    void waitsForARandomPartOfWhatItMay() {
        for (double random : new double[] {0, 0.25, 0.75}) {
            TestClock clock = TestClock.moving(random);

            RetryingLlm.builder(new Model(call -> call == 1 ? down() : HELLO))
                    .firstWait(Duration.ofSeconds(8))
                    .clock(clock)
                    .build()
                    .complete(GO);

            assertThat(clock.slept()).isEqualTo(Duration.ofMillis((long) (8000 * random)));
        }
    }

    @Test
    void noWaitGrowsBeyondTheLongest() {
        TestClock clock = TestClock.moving(0.999);

        assertThatThrownBy(() -> RetryingLlm.builder(DOWN)
                        .maxRetries(100)
                        .firstWait(Duration.ofSeconds(1))
                        .longestWait(Duration.ofSeconds(10))
                        .totalTimeLimit(Duration.ofDays(1))
                        .clock(clock)
                        .build()
                        .complete(GO))
                .isInstanceOf(LlmUnavailableException.class);

        assertThat(clock.sleeps()).hasSize(100).allMatch(wait -> wait.compareTo(Duration.ofSeconds(10)) <= 0);
        assertThat(clock.sleeps().get(99)).isGreaterThan(Duration.ofSeconds(9));
    }

    @Test
    void neverComesBackBeforeTheServiceWantsIt() {
        TestClock clock = TestClock.moving(0.5);
        Model model = new Model(call -> call == 1 ? down(Duration.ofSeconds(90)) : HELLO);

        RetryingLlm.builder(model).clock(clock).build().complete(GO);

        assertThat(clock.sleeps()).containsExactly(Duration.ofMillis(90_250));
    }

    @Test
    void givesUpAfterItsRetriesAndSaysSo() {
        Model model = new Model(call -> down(Duration.ofSeconds(7)));

        assertThatThrownBy(() -> RetryingLlm.builder(model)
                        .maxRetries(2)
                        .clock(TestClock.moving(0))
                        .build()
                        .complete(GO))
                .isInstanceOfSatisfying(
                        LlmUnavailableException.class,
                        e -> assertThat(e.retryAfter()).contains(Duration.ofSeconds(7)))
                .hasMessage("m: HTTP 529; gave up after 3 attempts in 14000 ms")
                .hasCauseInstanceOf(LlmUnavailableException.class);
        assertThat(model.calls()).isEqualTo(3);
    }

    @Test
    void beginsNoWaitThatGoesBeyondTheTotalTime() {
        Model model = new Model(call -> down(Duration.ofSeconds(20)));
        TestClock clock = TestClock.moving(0);

        assertThatThrownBy(() -> RetryingLlm.builder(model)
                        .totalTimeLimit(Duration.ofSeconds(50))
                        .clock(clock)
                        .build()
                        .complete(GO))
                .hasMessageContaining("3 attempts in 40000 ms");
        assertThat(clock.slept()).isEqualTo(Duration.ofSeconds(40));
    }

    @Test
    void asksOnlyOnceForWhatWouldFailAgain() {
        for (RuntimeException failure : new RuntimeException[] {
            Calls.refused(), new LlmInterruptedException("m: interrupted", null), new IllegalStateException("a fault")
        }) {
            Model model = new Model(call -> failure);

            assertThatThrownBy(() -> RetryingLlm.builder(model)
                            .clock(TestClock.moving(0))
                            .build()
                            .complete(GO))
                    .isSameAs(failure);
            assertThat(model.calls()).isEqualTo(1);
        }
    }

    /** Tells some text, then fails or answers. */
    private static LlmClient telling(Model model) {
        return new LlmClient() {
            @Override
            public String model() {
                return model.model();
            }

            @Override
            public LlmResponse complete(LlmRequest request) {
                throw new AssertionError("a listener is there");
            }

            @Override
            public LlmResponse complete(LlmRequest request, LlmStreamListener listener) {
                if (model.calls() != 1) {
                    listener.onText("hel");
                }
                LlmResponse response = model.complete(request);
                listener.onText("lo");
                return response;
            }
        };
    }

    @Test
    void tellsAListenerThatWhatItHeardIsVoid() {
        // The second attempt fails before it has said anything.
        LlmClient client = RetryingLlm.builder(telling(new Model(call -> call <= 2 ? down() : HELLO)))
                .clock(TestClock.moving(0))
                .build();
        List<String> told = new ArrayList<>();

        LlmResponse response = client.complete(GO, new LlmStreamListener() {
            @Override
            public void onText(String text) {
                told.add(text);
            }

            @Override
            public void onRestart() {
                told.add("restart");
            }
        });

        assertThat(response).isEqualTo(HELLO);
        assertThat(told).containsExactly("hel", "restart", "hel", "lo");
    }

    @Test
    void anInterruptEndsTheWait() {
        RetryingLlm client = RetryingLlm.builder(new Model(call -> {
                    // As if somebody did so while it waits: a sleep of an interrupted thread does not begin.
                    Thread.currentThread().interrupt();
                    return down();
                }))
                .firstWait(Duration.ofHours(1))
                .longestWait(Duration.ofHours(1))
                .totalTimeLimit(Duration.ofDays(1))
                .build();

        assertThatThrownBy(() -> client.complete(GO)).isInstanceOf(LlmInterruptedException.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, 86_400_001})
    void refusesTimesOutOfRange(long millis) {
        Duration time = Duration.ofMillis(millis);
        RetryingLlm.Builder builder = RetryingLlm.builder(DOWN);

        assertThatThrownBy(() -> builder.firstWait(time)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.longestWait(time)).hasMessageContaining(time.toString());
        assertThatThrownBy(() -> builder.totalTimeLimit(time)).hasMessageContaining("total time limit");
        assertThatThrownBy(() -> builder.maxRetries(-1)).hasMessageContaining("-1");
    }
}
