package io.maestro.agent;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How much a story may cost before it is stopped or the architect is asked, and what everything may cost at most. Immutable.
 *
 * <p>A budget in turns, tokens, cost or time that is used up leads to BUDGET_REVIEW, where the architect may grant it once more; a
 * count of rounds that is used up, and a {@linkplain #costCap hard limit on cost}, end the story in ERROR.
 */
public final class Limits {
    private static final Duration REPLY_TIME = Duration.ofMinutes(30);
    private static final Duration HOST_REPLY_TIME = Duration.ofDays(7);
    private static final Limits DEFAULTS = builder().build();

    private final int turnsPerState;
    private final long tokensPerStory;
    private final Duration timePerStory;
    private final @Nullable BigDecimal costPerStory;
    private final int reminders;
    private final int identicalCalls;
    private final int failingCalls;
    private final int parallelCalls;
    private final int rounds;
    private final int budgetReviews;
    private final int answerTokens;
    private final int contextTokens;
    private final Duration testTime;
    private final Duration suspendTime;
    private final Duration suspendInterval;
    private final Duration parkAfter;
    private final Map<Architect.Kind, Duration> replyTimes;
    private final int storyRetries;
    private final Map<CostScope, BigDecimal> costCaps;

    private Limits(Builder builder) {
        this.turnsPerState = builder.turnsPerState;
        this.tokensPerStory = builder.tokensPerStory;
        this.timePerStory = builder.timePerStory;
        this.costPerStory = builder.costPerStory;
        this.reminders = builder.reminders;
        this.identicalCalls = builder.identicalCalls;
        this.failingCalls = builder.failingCalls;
        this.parallelCalls = builder.parallelCalls;
        this.rounds = builder.rounds;
        this.budgetReviews = builder.budgetReviews;
        this.answerTokens = builder.answerTokens;
        this.contextTokens = builder.contextTokens;
        this.testTime = builder.testTime;
        this.suspendTime = builder.suspendTime;
        this.suspendInterval = builder.suspendInterval;
        this.parkAfter = builder.parkAfter;
        this.replyTimes = new EnumMap<>(builder.replyTimes);
        this.storyRetries = builder.storyRetries;
        this.costCaps = new EnumMap<>(builder.costCaps);
    }

    /**
     * The limits that hold when nothing is set.
     *
     * @return see each method
     */
    public static Limits defaults() {
        return DEFAULTS;
    }

    /**
     * Starts from the defaults.
     *
     * @return a builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Starts from these limits, which stay as they are.
     *
     * @return a builder
     */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.turnsPerState = turnsPerState;
        builder.tokensPerStory = tokensPerStory;
        builder.timePerStory = timePerStory;
        builder.costPerStory = costPerStory;
        builder.reminders = reminders;
        builder.identicalCalls = identicalCalls;
        builder.failingCalls = failingCalls;
        builder.parallelCalls = parallelCalls;
        builder.rounds = rounds;
        builder.budgetReviews = budgetReviews;
        builder.answerTokens = answerTokens;
        builder.contextTokens = contextTokens;
        builder.testTime = testTime;
        builder.suspendTime = suspendTime;
        builder.suspendInterval = suspendInterval;
        builder.parkAfter = parkAfter;
        builder.storyRetries = storyRetries;
        builder.replyTimes.putAll(replyTimes);
        builder.costCaps.putAll(costCaps);
        return builder;
    }

    /**
     * How many answers of the model one visit of PLANNING or CODING, or one review, may take.
     *
     * @return 40 unless set
     */
    public int turnsPerState() {
        return turnsPerState;
    }

    /**
     * How many tokens coder and architect together may read and write for a story.
     *
     * @return 5,000,000 unless set
     */
    public long tokensPerStory() {
        return tokensPerStory;
    }

    /**
     * How long a story may be worked on, from SETUP on. Waiting for a reply of the architect, or in SUSPEND for a service, does
     * not count. When it is used up, a call of a tool, a request to a model and a run of tests are stopped, and none is begun
     * before more is {@linkplain #budgetReviews() granted}.
     *
     * @return 2 hours unless set
     */
    public Duration timePerStory() {
        return timePerStory;
    }

    /**
     * How many US dollars coder and architect together may cost for an attempt at a story before the architect is asked, who may
     * {@linkplain #budgetReviews() grant} it once more; and those of a visit of SCOPING or EDITING. Every model must have a price
     * then.
     *
     * @return empty unless set: no limit
     */
    public Optional<BigDecimal> costPerStory() {
        return Optional.ofNullable(costPerStory);
    }

    /**
     * The hard limit on the cost of something, in US dollars: once so much is spent or reserved for requests under way, no model
     * is asked any more, and the story or specification that wants to ask ends in ERROR. No review raises it, and no new attempt
     * or restart resets it. It is exceeded by one request at most, over all processes that share a record. Every
     * model must have a price then.
     *
     * @param scope of what
     * @return empty unless set: no limit
     */
    public Optional<BigDecimal> costCap(CostScope scope) {
        return Optional.ofNullable(costCaps.get(scope));
    }

    /**
     * How often a model is reminded, in one visit of a state, that it ended its turn without completing anything.
     *
     * @return 3 unless set
     */
    public int reminders() {
        return reminders;
    }

    /**
     * How often a model may repeat the very same call in a row, and ask again for one that is no longer run.
     *
     * @return 5 unless set
     */
    public int identicalCalls() {
        return identicalCalls;
    }

    /**
     * How often the very same call may fail before it is no longer run, until something else has changed or some turns have
     * passed.
     *
     * @return 3 unless set
     */
    public int failingCalls() {
        return failingCalls;
    }

    /**
     * How many tools that only read run at the same time, when a model calls several at once.
     *
     * @return 4 unless set
     */
    public int parallelCalls() {
        return parallelCalls;
    }

    /**
     * How often a story may come back from each kind of review, from TESTING, from a question and from merging.
     *
     * @return 8 unless set
     */
    public int rounds() {
        return rounds;
    }

    /**
     * How often the architect may grant more budget: each time tokens, cost and time once more. So with 3 an attempt can cost
     * four times its limits, and the answer on top that goes beyond them; with 0 a limit that is reached is the end. A
     * {@link #costCap} is never raised.
     *
     * @return 3 unless set
     */
    public int budgetReviews() {
        return budgetReviews;
    }

    /**
     * How many tokens one answer of a model may have.
     *
     * @return 8,192 unless set
     */
    public int answerTokens() {
        return answerTokens;
    }

    /**
     * How many tokens are sent to a model at most, about; older turns of a longer conversation are shortened or left out. Less
     * than the model's window, which must hold the answer too.
     *
     * @return 150,000 unless set
     */
    public int contextTokens() {
        return contextTokens;
    }

    /**
     * How long the project's tests may take, and so each command that prepares, builds or lints it.
     *
     * @return 15 minutes unless set
     */
    public Duration testTime() {
        return testTime;
    }

    /**
     * How long a story waits in SUSPEND for a service that is down before it ends in ERROR.
     *
     * @return 15 minutes unless set
     */
    public Duration suspendTime() {
        return suspendTime;
    }

    /**
     * How long a story waits in SUSPEND before the service is tried again, unless the service names a longer time.
     *
     * @return 15 seconds unless set
     */
    public Duration suspendInterval() {
        return suspendInterval;
    }

    /**
     * How long a story that waits for a reply, or for the checks of a forge, keeps its coder and its container. After that it
     * is parked: it takes no coder, thread, container or budget until it can go on, and keeps its workspace and its lease.
     *
     * @return 10 minutes unless set
     */
    public Duration parkAfter() {
        return parkAfter;
    }

    /**
     * How long a coder waits for the architect's reply. After that, a coder that has asked a question goes on without an
     * answer, and is told so; a story that waits for a review, for more budget or for its merge ends in ERROR, since nobody
     * has approved it; a call of a tool is refused.
     *
     * @param kind what was asked
     * @return unless set, 30 minutes where a model replies, and 7 days where an architect of the host's does, but for {@code
     *     TOOL_CALL}; here 30 minutes, see {@link #forHost}
     */
    public Duration replyTime(Architect.Kind kind) {
        return replyTimes.getOrDefault(kind, REPLY_TIME);
    }

    /**
     * The same limits where an architect of the host's, who may be a person, replies to some kinds of requests.
     *
     * @param kinds what it replies to
     * @return limits with 7 days for those of these kinds whose {@linkplain #replyTime time} was not set, but for {@code
     *     TOOL_CALL}, about which a coder that keeps its container waits
     */
    public Limits forHost(Set<Architect.Kind> kinds) {
        Builder patient = toBuilder();
        kinds.stream()
                .filter(kind -> kind != Architect.Kind.TOOL_CALL) // a coder and its container wait meanwhile
                .forEach(kind -> patient.replyTimes.putIfAbsent(kind, HOST_REPLY_TIME));
        return patient.build();
    }

    /**
     * How often the architect may rewrite a story of a specification that has failed, and have it tried again.
     *
     * @return 2 unless set
     */
    public int storyRetries() {
        return storyRetries;
    }

    /** Collects limits. Not safe for use by several threads. */
    public static final class Builder extends LimitSetters {
        private Builder() {}

        @Override
        Builder self() {
            return this;
        }

        /**
         * Makes the limits.
         *
         * @return the limits
         */
        public Limits build() {
            return new Limits(this);
        }
    }
}
