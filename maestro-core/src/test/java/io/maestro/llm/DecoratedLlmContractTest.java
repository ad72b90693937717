package io.maestro.llm;

import io.maestro.llm.resilience.CircuitBreakerLlm;
import io.maestro.llm.resilience.LlmClients;
import io.maestro.llm.resilience.RateLimitedLlm;
import io.maestro.llm.resilience.RetryingLlm;
import io.maestro.llm.resilience.TimeLimitedLlm;
import io.maestro.testkit.contract.LlmClientContract;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Nested;

/** What is around a client does not change what a client does. */
class DecoratedLlmContractTest {
    private static final Duration LONG = Duration.ofHours(1);

    private abstract static class Decorated extends LlmClientContract {
        private final UnaryOperator<LlmClient> decorator;
        private final ScriptedLlmContractTest bare = new ScriptedLlmContractTest();

        Decorated(UnaryOperator<LlmClient> decorator) {
            this.decorator = decorator;
        }

        @Override
        protected LlmClient answering(LlmResponse... answers) {
            return decorator.apply(bare.answering(answers));
        }

        @Override
        protected LlmClient hanging(CountDownLatch asked) {
            return decorator.apply(bare.hanging(asked));
        }
    }

    @Nested
    class Retrying extends Decorated {
        Retrying() {
            super(client -> RetryingLlm.builder(client).build());
        }
    }

    @Nested
    class CircuitBreaker extends Decorated {
        CircuitBreaker() {
            super(client -> CircuitBreakerLlm.builder(client).maxFailures(1).build());
        }
    }

    @Nested
    class RateLimited extends Decorated {
        RateLimited() {
            super(client -> RateLimitedLlm.builder(client)
                    .requestsPerMinute(100)
                    .tokensPerMinute(100_000)
                    .build());
        }
    }

    @Nested
    class TimeLimited extends Decorated {
        TimeLimited() {
            super(client -> TimeLimitedLlm.of(client, LONG));
        }
    }

    @Nested
    class Everything extends Decorated {
        Everything() {
            super(client -> LlmClients.decorate(client)
                    .timeLimit(LONG)
                    .rateLimit(limit -> limit.requestsPerMinute(100))
                    .circuitBreaker()
                    .retry()
                    .build());
        }
    }
}
