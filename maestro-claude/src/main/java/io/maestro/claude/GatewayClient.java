package io.maestro.claude;

import io.maestro.llm.Usage;
import java.util.Optional;

/**
 * What an {@link ApiGateway} asks and tells its host. Called by several threads at once, each of which holds up the request that
 * it is called for.
 */
public interface GatewayClient {
    /** Refuses nothing and counts nothing. */
    GatewayClient NONE = new GatewayClient() {
        @Override
        public Optional<String> refusal() {
            return Optional.empty();
        }

        @Override
        public void used(String model, Usage usage) {
            // Nobody wants to know.
        }
    };

    /**
     * Says whether the API may be asked once more. Asked before each request that would be forwarded; requests that are under way
     * at that time are not counted yet. When it throws, the request is answered with status 500, which the CLI tries again.
     *
     * @return why not, for example because the budget is used up: one line that the CLI gets as an error which it does not try
     *     again; empty when it may
     */
    Optional<String> refusal();

    /**
     * Takes note of what an answered request has used. Called once for each answer to which the API has said a model and tokens,
     * before the CLI gets the end of that answer; for an answer that was cut with what was said until then. What it throws is
     * logged and goes no further.
     *
     * @param model the model as the API names it; empty when it did not say
     * @param usage the tokens
     */
    void used(String model, Usage usage);
}
