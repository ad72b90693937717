package io.maestro.budget.internal;

import io.maestro.llm.LlmRequest;
import io.maestro.llm.Usage;
import io.maestro.record.internal.Spending;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Whose requests to models are paid together: those for a story, or for a specification itself. Immutable. */
public final class Account {
    private final CostControl control;
    private final @Nullable String storyId;
    private final @Nullable String specId;

    Account(CostControl control, @Nullable String storyId, @Nullable String specId) {
        this.control = control;
        this.storyId = storyId;
        this.specId = specId;
    }

    /**
     * Reserves what a request of Maestro's own may cost at most.
     *
     * @param attempt which attempt; from 1
     * @param model the model that is asked
     * @throws io.maestro.error.MaestroException when it must not be sent: a hard limit is reached, or the price is not known
     * @throws io.maestro.error.RetriableException when a hard limit is reached by requests that are under way
     */
    public PaidRequest reserve(LlmRequest request, int attempt, String model) {
        LlmRequest.Origin origin = request.origin();
        return reserve(
                origin.agentId(), origin.state(), attempt, model, RequestSize.tokens(request), request.maxTokens());
    }

    /**
     * Reserves what a request may cost at most.
     *
     * @param state the state, as the record names it
     * @param attempt which attempt; from 1
     * @param model the model that is asked
     * @param input how many tokens it reads at most
     * @param output how many tokens it writes at most
     * @throws io.maestro.error.MaestroException when it must not be sent: a hard limit is reached, or the price is not known
     * @throws io.maestro.error.RetriableException when a hard limit is reached by requests that are under way
     */
    public PaidRequest reserve(String agentId, String state, int attempt, String model, long input, long output) {
        Usage most = most(model, input, output);
        Optional<BigDecimal> dollars =
                most.equals(Usage.NONE) ? Optional.of(BigDecimal.ZERO) : control.price(model, most);
        if (dollars.isEmpty()) {
            if (control.bounded()) {
                throw control.unknownPrice(model);
            }
            return new PaidRequest(control, request(agentId, state, attempt, model, BigDecimal.ZERO), most, false);
        }
        return control.reserve(request(agentId, state, attempt, model, dollars.get()), most);
    }

    /** A request that was sent without being reserved: its answer is all that is known of it. */
    public PaidRequest unreserved(String agentId, String state, int attempt, String model) {
        return new PaidRequest(control, request(agentId, state, attempt, model, BigDecimal.ZERO), Usage.NONE, false);
    }

    private Spending.CostReservation request(String agentId, String state, int attempt, String model, BigDecimal most) {
        return new Spending.CostReservation(
                UUID.randomUUID().toString(),
                control.sessionId(),
                storyId,
                specId,
                attempt,
                agentId,
                state,
                model,
                most);
    }

    /** What an answer has cost in US dollars: by the price of the model that answered, else of the one that was asked. */
    public Optional<BigDecimal> dollars(String asked, String answered, Usage usage) {
        return control.price(answered, usage).or(() -> control.price(asked, usage));
    }

    /** The dearest that is possible: all that is read may be written to a cache, which costs more than reading it. */
    private Usage most(String model, long input, long output) {
        Usage most = new Usage(input, output, 0, 0);
        for (Usage cached : List.of(new Usage(0, output, 0, input), new Usage(0, output, 0, input, input))) {
            Optional<BigDecimal> dearer = control.price(model, cached);
            if (dearer.isPresent()
                    && dearer.get().compareTo(control.price(model, most).orElseThrow()) > 0) {
                most = cached;
            }
        }
        return most;
    }
}
