package io.maestro.audit;

import io.maestro.agent.CostScope;
import java.math.BigDecimal;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What models have cost, and what requests that are under way may cost at most. One decision at a time is made, over all
 * processes that share a store: while the sum of both is below a cap, a request is let through; so the sum never exceeds a cap
 * by more than one request.
 *
 * <p>A request whose process was killed counts with what it may cost at most, for ever: it may have been answered. Amounts are
 * kept in billionths of a dollar, rounded up. Safe for use by several threads and processes.
 */
public interface Spending {
    /**
     * Reserves what a request may cost at most, unless a cap is reached.
     *
     * @param request the request, before it is sent
     * @param caps in US dollars; scopes that do not concern the request are not looked at
     * @return empty when it may be sent; {@link #settle} or {@link Store#recordAnswer} must follow
     */
    Optional<Refusal> reserve(Request request, Map<CostScope, BigDecimal> caps);

    /**
     * Puts what a request has cost in the place of what was reserved for it. One that was never reserved is counted.
     *
     * @param request the request
     * @param dollars 0 when it was not answered
     */
    void settle(Request request, BigDecimal dollars);

    /**
     * Tells what has been spent and reserved.
     *
     * @param scope of what
     * @param id the story or specification; not looked at for {@link CostScope#DAY}, which is today, and
     *     {@link CostScope#TOTAL}
     * @return US dollars
     */
    BigDecimal spent(CostScope scope, String id);

    /**
     * A request to a model.
     *
     * @param id unique
     * @param sessionId who sends it
     * @param storyId the story that it is for; null when it is for a specification itself
     * @param specId the specification that it is for, itself or by its story; null when there is none
     * @param attempt which attempt; from 1
     * @param agentId who asks
     * @param state in which state
     * @param model the model that is asked
     * @param most what it may cost at most, in US dollars
     */
    record Request(
            String id,
            String sessionId,
            @Nullable String storyId,
            @Nullable String specId,
            int attempt,
            String agentId,
            String state,
            String model,
            BigDecimal most) {
        /**
         * Checks that it is for something.
         *
         * @param id see the record
         * @param sessionId see the record
         * @param storyId see the record
         * @param specId see the record
         * @param attempt see the record
         * @param agentId see the record
         * @param state see the record
         * @param model see the record
         * @param most see the record
         */
        public Request {
            if (storyId == null && specId == null) {
                throw new IllegalArgumentException("a request must be for a story or a specification");
            }
            if (most.signum() < 0) {
                throw new IllegalArgumentException("what a request costs must be 0 or more, is " + most);
            }
        }
    }

    /**
     * Why a request must not be sent.
     *
     * @param scope whose cap is reached
     * @param cap the cap, in US dollars
     * @param spent what is spent and reserved, in US dollars
     * @param mayPass whether the sum may still come below the cap, because requests of living processes are under way
     */
    record Refusal(CostScope scope, BigDecimal cap, BigDecimal spent, boolean mayPass) {}
}
