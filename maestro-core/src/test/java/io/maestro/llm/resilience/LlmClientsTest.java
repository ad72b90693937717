package io.maestro.llm.resilience;

import static io.maestro.llm.resilience.Calls.GO;
import static io.maestro.llm.resilience.Calls.HELLO;
import static io.maestro.llm.resilience.Calls.down;
import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmUnavailableException;
import io.maestro.llm.resilience.Calls.Model;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LlmClientsTest {
    @Test
    void putsNothingAroundAClientWhenNothingIsSet() {
        Model model = new Model(call -> HELLO);

        assertThat(LlmClients.decorate(model).build()).isSameAs(model);
    }

    @Test
    void putsAllOfItAroundInTheOrderThatWorks() {
        Model model = new Model(call -> HELLO);

        LlmClient client = LlmClients.decorate(model)
                .retry()
                .circuitBreaker()
                .rateLimit(limit -> limit.requestsPerMinute(10))
                .timeLimit(Duration.ofMinutes(1))
                .build();

        assertThat(client.toString())
                .startsWith("RetryingLlm of CircuitBreakerLlm of RateLimitedLlm of TimeLimitedLlm of ");
        assertThat(client.complete(GO)).isEqualTo(HELLO);
        assertThat(client.model()).isEqualTo("m");
    }

    @Test
    void retriesOutlastAnOpenBreaker() {
        TestClock clock = TestClock.moving(0);
        Model model = new Model(call -> call <= 4 ? down() : HELLO);
        LlmClient client = LlmClients.decorate(model)
                .circuitBreaker(breaker ->
                        breaker.maxFailures(3).openTime(Duration.ofSeconds(20)).clock(clock))
                .retry(retry -> retry.maxRetries(10).clock(clock))
                .build();

        assertThat(client.complete(GO)).isEqualTo(HELLO);

        assertThat(model.calls())
                .as("three, a failed probe, one that is answered")
                .isEqualTo(5);
        assertThat(clock.slept()).isEqualTo(Duration.ofSeconds(40));
    }

    @Test
    void aCallThatTheRateLimitHeldBackDoesNotOpenTheBreaker() {
        TestClock clock = TestClock.moving(0);
        Model model = new Model(call -> HELLO);
        CircuitBreakerLlm client = CircuitBreakerLlm.builder(RateLimitedLlm.builder(model)
                        .requestsPerMinute(1)
                        .longestWait(Duration.ofSeconds(1))
                        .clock(clock)
                        .build())
                .maxFailures(1)
                .clock(clock)
                .build();
        client.complete(GO);

        assertThatThrownBy(() -> client.complete(GO)).isInstanceOf(LlmUnavailableException.class);

        assertThat(client.state()).isEqualTo(CircuitBreakerLlm.State.CLOSED);
    }

    @Test
    void tellsOfAWrongSetting() {
        LlmClients.Builder builder = LlmClients.decorate(new Model(call -> HELLO));

        assertThatThrownBy(() -> builder.timeLimit(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.rateLimit(limit -> {}).build()).isInstanceOf(IllegalArgumentException.class);
    }
}
