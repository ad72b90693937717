package io.maestro.agent;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The setters of {@link Limits.Builder}, with what is allowed and what holds when nothing is set. Hosts see them as the builder's
 * own.
 */
abstract class LimitSetters {
    private static final int LEAST_CONTEXT = 4_000;

    int turnsPerState = 40;
    long tokensPerStory = 5_000_000;
    Duration timePerStory = Duration.ofHours(2);

    @Nullable
    BigDecimal costPerStory;

    int reminders = 3;
    int identicalCalls = 5;
    int failingCalls = 3;
    int parallelCalls = 4;
    int rounds = 8;
    int budgetReviews = 3;
    int answerTokens = 8_192;
    int contextTokens = 150_000;
    Duration testTime = Duration.ofMinutes(15);
    Duration suspendTime = Duration.ofMinutes(15);
    Duration suspendInterval = Duration.ofSeconds(15);
    Duration parkAfter = Duration.ofMinutes(10);
    final Map<Architect.Kind, Duration> replyTimes = new EnumMap<>(Architect.Kind.class);
    int storyRetries = 2;
    final Map<CostScope, BigDecimal> costCaps = new EnumMap<>(CostScope.class);

    LimitSetters() {}

    abstract Limits.Builder self();

    private static <N extends Number> N positive(String name, N value) {
        if (value.longValue() <= 0) {
            throw new IllegalArgumentException(name + " must be more than zero, is " + value);
        }
        return value;
    }

    private static int notNegative(String name, int value) {
        if (value < 0) {
            throw new IllegalArgumentException(name + " must be 0 or more, is " + value);
        }
        return value;
    }

    private static Duration positive(String name, Duration value) {
        if (value.isZero() || value.isNegative()) {
            throw new IllegalArgumentException(name + " must be more than zero, is " + value);
        }
        return value;
    }

    /**
     * Sets {@link Limits#turnsPerState()}.
     *
     * @param turns more than zero
     * @return this
     */
    public Limits.Builder turnsPerState(int turns) {
        this.turnsPerState = positive("turnsPerState", turns);
        return self();
    }

    /**
     * Sets {@link Limits#tokensPerStory()}.
     *
     * @param tokens more than zero
     * @return this
     */
    public Limits.Builder tokensPerStory(long tokens) {
        this.tokensPerStory = positive("tokensPerStory", tokens);
        return self();
    }

    /**
     * Sets {@link Limits#timePerStory()}.
     *
     * @param time more than zero
     * @return this
     */
    public Limits.Builder timePerStory(Duration time) {
        this.timePerStory = positive("timePerStory", time);
        return self();
    }

    /**
     * Sets {@link Limits#costPerStory()}.
     *
     * @param dollars US dollars, more than zero
     * @return this
     */
    public Limits.Builder costPerStory(BigDecimal dollars) {
        this.costPerStory = dollars("costPerStory", dollars);
        return self();
    }

    /**
     * Sets {@link Limits#costCap} for one scope.
     *
     * @param scope of what
     * @param dollars US dollars, more than zero
     * @return this
     */
    public Limits.Builder costCap(CostScope scope, BigDecimal dollars) {
        costCaps.put(scope, dollars("costCap(" + scope + ")", dollars));
        return self();
    }

    private static BigDecimal dollars(String name, BigDecimal value) {
        if (value.signum() <= 0) {
            throw new IllegalArgumentException(name + " must be more than zero, is " + value);
        }
        return value;
    }

    /**
     * Sets {@link Limits#reminders()}.
     *
     * @param count more than zero
     * @return this
     */
    public Limits.Builder reminders(int count) {
        this.reminders = positive("reminders", count);
        return self();
    }

    /**
     * Sets {@link Limits#identicalCalls()}.
     *
     * @param count more than zero
     * @return this
     */
    public Limits.Builder identicalCalls(int count) {
        this.identicalCalls = positive("identicalCalls", count);
        return self();
    }

    /**
     * Sets {@link Limits#failingCalls()}.
     *
     * @param count more than zero
     * @return this
     */
    public Limits.Builder failingCalls(int count) {
        this.failingCalls = positive("failingCalls", count);
        return self();
    }

    /**
     * Sets {@link Limits#parallelCalls()}.
     *
     * @param count more than zero; 1 for one after the other
     * @return this
     */
    public Limits.Builder parallelCalls(int count) {
        this.parallelCalls = positive("parallelCalls", count);
        return self();
    }

    /**
     * Sets {@link Limits#rounds()}.
     *
     * @param count more than zero
     * @return this
     */
    public Limits.Builder rounds(int count) {
        this.rounds = positive("rounds", count);
        return self();
    }

    /**
     * Sets {@link Limits#budgetReviews()}.
     *
     * @param count 0 or more; 0 for no more than the limits
     * @return this
     */
    public Limits.Builder budgetReviews(int count) {
        this.budgetReviews = notNegative("budgetReviews", count);
        return self();
    }

    /**
     * Sets {@link Limits#answerTokens()}.
     *
     * @param tokens more than zero
     * @return this
     */
    public Limits.Builder answerTokens(int tokens) {
        this.answerTokens = positive("answerTokens", tokens);
        return self();
    }

    /**
     * Sets {@link Limits#contextTokens()}.
     *
     * @param tokens at least 4,000
     * @return this
     */
    public Limits.Builder contextTokens(int tokens) {
        if (tokens < LEAST_CONTEXT) {
            throw new IllegalArgumentException("contextTokens must be at least " + LEAST_CONTEXT + ", is " + tokens);
        }
        this.contextTokens = tokens;
        return self();
    }

    /**
     * Sets {@link Limits#testTime()}.
     *
     * @param time more than zero
     * @return this
     */
    public Limits.Builder testTime(Duration time) {
        this.testTime = positive("testTime", time);
        return self();
    }

    /**
     * Sets {@link Limits#suspendTime()}.
     *
     * @param time more than zero
     * @return this
     */
    public Limits.Builder suspendTime(Duration time) {
        this.suspendTime = positive("suspendTime", time);
        return self();
    }

    /**
     * Sets {@link Limits#suspendInterval()}.
     *
     * @param time more than zero
     * @return this
     */
    public Limits.Builder suspendInterval(Duration time) {
        this.suspendInterval = positive("suspendInterval", time);
        return self();
    }

    /**
     * Sets {@link Limits#parkAfter()}.
     *
     * @param time more than zero
     * @return this
     */
    public Limits.Builder parkAfter(Duration time) {
        this.parkAfter = positive("parkAfter", time);
        return self();
    }

    /**
     * Sets {@link Limits#replyTime} for every kind of request.
     *
     * @param time more than zero
     * @return this
     */
    public Limits.Builder replyTime(Duration time) {
        for (Architect.Kind kind : Architect.Kind.values()) {
            replyTime(kind, time);
        }
        return self();
    }

    /**
     * Sets {@link Limits#replyTime} for one kind of request.
     *
     * @param kind what is asked
     * @param time more than zero; for a person who may be asleep, days
     * @return this
     */
    public Limits.Builder replyTime(Architect.Kind kind, Duration time) {
        replyTimes.put(kind, positive("replyTime", time));
        return self();
    }

    /**
     * Sets {@link Limits#storyRetries()}.
     *
     * @param count 0 or more
     * @return this
     */
    public Limits.Builder storyRetries(int count) {
        this.storyRetries = notNegative("storyRetries", count);
        return self();
    }
}
