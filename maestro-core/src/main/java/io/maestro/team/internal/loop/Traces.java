package io.maestro.team.internal.loop;

import io.maestro.budget.internal.Account;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.llm.Usage;
import io.maestro.telemetry.Telemetry;
import java.time.Instant;
import java.util.Objects;
import java.util.function.Supplier;

/** Has a loop's requests traced, and keeps its calls below what they belong to. */
record Traces(Telemetry telemetry) {
    /** Asks a model. */
    LlmResponse model(ModelConversation conversation, String model, Account account, Supplier<LlmResponse> asked) {
        LlmRequest.Origin origin = conversation.origin();
        Telemetry.Operation operation = new Telemetry.Operation(
                Telemetry.Kind.MODEL,
                model,
                origin.storyId(),
                origin.agentId(),
                conversation.attempt(),
                origin.state(),
                null);
        try (Telemetry.Span span = telemetry.start(operation, Instant.now());
                Telemetry.Scope scope = span.enter()) {
            try {
                LlmResponse response = asked.get();
                Usage usage = Objects.requireNonNull(response.usage());
                span.answered(
                        response.model(),
                        usage,
                        account.dollars(model, response.model(), usage).orElse(null));
                return response;
            } catch (RuntimeException | Error e) {
                span.failed(e.getClass().getSimpleName());
                throw e;
            }
        }
    }

    /** The same work, also on another thread below what is current on this one. */
    <T> Supplier<T> carried(Supplier<T> work) {
        Telemetry.Context context = telemetry.current();
        return () -> {
            try (Telemetry.Scope scope = context.enter()) {
                return work.get();
            }
        };
    }
}
