package io.maestro.claude;

import io.maestro.llm.Usage;
import java.time.Duration;
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
     * Begins a request for an answer of a model, which {@link #refusal} has let through. What it throws refuses the request after
     * all: a {@link io.maestro.error.RetriableException} with status 529, which the CLI tries again, another {@link
     * io.maestro.error.MaestroException} as {@link #refusal} does, anything else with status 500.
     *
     * @param request what is asked
     * @return is told how the request ends; unless this is overridden, it passes on to {@link #used}
     */
    default Exchange begin(Request request) {
        return new Exchange() {
            @Override
            public void used(String model, Usage usage) {
                GatewayClient.this.used(model, usage);
            }

            @Override
            public void failed(boolean mayBeCharged) {
                // Nothing was counted.
            }
        };
    }

    /**
     * A request for an answer of a model, before it is forwarded.
     *
     * @param model the model that is asked
     * @param inputTokens how many tokens it has at most, about
     * @param maxTokens how many tokens the answer may have
     * @param cacheForAnHour whether the API is to keep a part of it in its cache for an hour, which costs more than five minutes
     */
    record Request(String model, long inputTokens, long maxTokens, boolean cacheForAnHour) {}

    /** A request that was begun. One of the methods is called once. What they throw is logged and goes no further. */
    interface Exchange {
        /**
         * It was answered; see {@link GatewayClient#used}.
         *
         * @param model the model as the API names it; empty when it did not say
         * @param usage the tokens
         */
        void used(String model, Usage usage);

        /**
         * The answer did not come to its end, or did not even begin, but the API may charge for it. It counts like one that was
         * {@linkplain #used used}, but does not show that the API works.
         *
         * @param model the model as the API names it, or as it was asked for; empty when nobody did say
         * @param most the tokens that it may have used at most
         */
        default void unanswered(String model, Usage most) {
            used(model, most);
        }

        /**
         * It was not answered, or the answer says nothing of tokens.
         *
         * @param mayBeCharged false when the API has refused it or was not reached
         */
        void failed(boolean mayBeCharged);
    }

    /**
     * Takes note of how long the API wants not to be asked, which the CLI does not tell. Called before the CLI gets that answer.
     *
     * @param time from now on
     */
    default void askedToWait(Duration time) {
        // Nobody wants to know.
    }

    /**
     * Takes note of what a model is told by a request that the API answers: each text of its system prompt, then each of its
     * messages that is no answer of the model or of a tool, those of earlier turns again. Called before the CLI gets the answer.
     * What it throws is logged and goes no further.
     *
     * @param role {@code system} or {@code user}
     * @param text not empty
     */
    default void told(String role, String text) {
        // Nobody wants to know.
    }

    /**
     * Takes note of what an answered request has used. Called once for each answer to which the API has said a model and tokens,
     * before the CLI gets the end of that answer; for one whose end was not seen with what it may have used at most. What it throws
     * is logged and goes no further.
     *
     * @param model the model as the API names it; empty when it did not say
     * @param usage the tokens
     */
    void used(String model, Usage usage);
}
