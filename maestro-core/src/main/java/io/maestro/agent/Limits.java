package io.maestro.agent;

import io.maestro.config.internal.Config;
import io.maestro.config.internal.Setting;
import io.maestro.config.internal.SettingGroup;
import io.maestro.config.internal.SettingValues;
import io.maestro.record.CostScope;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How much a story may cost before it is stopped or the architect is asked, and what everything may cost at most. Immutable.
 *
 * <p>A budget in turns, tokens, cost or time that is used up leads to BUDGET_REVIEW, where the architect may grant it once more; a
 * count of rounds that is used up, and a {@linkplain #costCap hard limit on cost}, end the story in ERROR.
 */
public final class Limits {
    private static final Duration REPLY_TIME = Duration.ofMinutes(30);
    private static final Duration HOST_REPLY_TIME = Duration.ofDays(7);
    private static final int LEAST_CONTEXT = 4_000;

    private static final SettingGroup GROUP = new SettingGroup();
    private static final Setting<Integer> TURNS_PER_STATE = positive("turnsPerState", "turns_per_state", 40);
    private static final Setting<Long> TOKENS_PER_STORY = GROUP.<Long>value(
                    "budgets.tokens_per_story",
                    5_000_000L,
                    (file, key) -> file.number(key).map(BigDecimal::longValueExact))
            .checked(tokens -> requirePositive("tokensPerStory", tokens, BigDecimal.valueOf(tokens)));
    private static final Setting<Duration> TIME_PER_STORY =
            time("timePerStory", "time_per_story_seconds", Duration.ofHours(2));
    private static final Setting<BigDecimal> COST_PER_STORY = GROUP.<BigDecimal>value(
                    "budgets.cost_per_story_dollars", null, Config::number)
            .checked(dollars -> requirePositive("costPerStory", dollars, dollars));
    private static final Setting<Integer> REMINDERS = positive("reminders", "reminders", 3);
    private static final Setting<Integer> ROUNDS = positive("rounds", "rounds", 8);
    private static final Setting<Integer> BUDGET_REVIEWS = notNegative("budgetReviews", "budget_reviews", 3);
    private static final Setting<Integer> ANSWER_TOKENS = positive("answerTokens", "answer_tokens", 8_192);
    private static final Setting<Integer> CONTEXT_TOKENS =
            GROUP.integer("budgets.context_tokens", 150_000).checked(Limits::requireContext);
    private static final Setting<Duration> TEST_TIME = time("testTime", "test_time_seconds", Duration.ofMinutes(15));
    private static final Setting<Duration> SUSPEND_TIME =
            time("suspendTime", "suspend_time_seconds", Duration.ofMinutes(15));
    private static final Setting<Duration> SUSPEND_INTERVAL =
            time("suspendInterval", "suspend_interval_seconds", Duration.ofSeconds(15));
    private static final Setting<Duration> PARK_AFTER = time("parkAfter", "park_after_seconds", Duration.ofMinutes(10));
    private static final Setting<Map<Architect.Kind, Duration>> REPLY_TIMES = merged(
            "budgets.reply_time_seconds", (file, key) -> file.seconds(key).map(Limits::always));
    private static final Setting<Integer> STORY_RETRIES = notNegative("storyRetries", "story_retries", 2);
    private static final Setting<Map<CostScope, BigDecimal>> COST_CAPS =
            merged("budgets.cost_cap_dollars", Limits::costCaps);

    private static final Limits DEFAULTS = new Limits(GROUP.none());

    private final SettingValues values;

    private Limits(SettingValues values) {
        this.values = values;
    }

    private static void requirePositive(String name, Object value, BigDecimal number) {
        if (number.signum() <= 0) {
            throw new IllegalArgumentException(name + " must be more than zero, is " + value);
        }
    }

    private static Setting<Integer> positive(String name, String key, int otherwise) {
        return GROUP.integer("budgets." + key, otherwise)
                .checked(value -> requirePositive(name, value, BigDecimal.valueOf(value)));
    }

    private static Setting<Integer> notNegative(String name, String key, int otherwise) {
        return GROUP.integer("budgets." + key, otherwise).checked(value -> {
            if (value < 0) {
                throw new IllegalArgumentException(name + " must be 0 or more, is " + value);
            }
        });
    }

    private static Setting<Duration> time(String name, String key, Duration otherwise) {
        return GROUP.seconds("budgets." + key, otherwise).checked(value -> requirePositive(name, value));
    }

    private static void requirePositive(String name, Duration value) {
        if (value.isZero() || value.isNegative()) {
            throw new IllegalArgumentException(name + " must be more than zero, is " + value);
        }
    }

    private static void requireContext(int tokens) {
        if (tokens < LEAST_CONTEXT) {
            throw new IllegalArgumentException("contextTokens must be at least " + LEAST_CONTEXT + ", is " + tokens);
        }
    }

    private static Map<Architect.Kind, Duration> always(Duration time) {
        return Stream.of(Architect.Kind.values()).collect(Collectors.toMap(kind -> kind, kind -> time));
    }

    private static Optional<Map<CostScope, BigDecimal>> costCaps(Config file, String key) {
        Map<CostScope, BigDecimal> all = new EnumMap<>(CostScope.class);
        for (CostScope scope : CostScope.values()) {
            file.number(key + "." + scope.name().toLowerCase(Locale.ROOT)).ifPresent(cap -> all.put(scope, cap));
        }
        return all.isEmpty() ? Optional.empty() : Optional.of(all);
    }

    /** Values for some kinds; of code and file those of both hold. */
    private static <K extends Enum<K>, V> Setting<Map<K, V>> merged(
            String path, BiFunction<Config, String, Optional<Map<K, V>>> read) {
        return GROUP.<Map<K, V>>value(path, Map.of(), read).merged((code, file) -> {
            Map<K, V> all = new EnumMap<>(file);
            all.putAll(code);
            return all;
        });
    }

    /**
     * Takes from a configuration what is not set.
     *
     * @param configuration all of it, valid by {@code Maestro.configSchema()}, as a tree of JSON types
     * @return limits in which the values of these win
     * @throws io.maestro.error.MaestroException when a value cannot be used; the message begins with its path
     */
    public Limits under(Map<String, Object> configuration) {
        return new Limits(values.under(Config.of(configuration)));
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
        return DEFAULTS.toBuilder();
    }

    /**
     * Starts from these limits, which stay as they are.
     *
     * @return a builder
     */
    public Builder toBuilder() {
        return new Builder(values);
    }

    /**
     * How many answers of the model one visit of PLANNING or CODING, or one review, may take.
     *
     * @return 40 unless set
     */
    public int turnsPerState() {
        return values.get(TURNS_PER_STATE);
    }

    /**
     * How many tokens coder and architect together may read and write for a story.
     *
     * @return 5,000,000 unless set
     */
    public long tokensPerStory() {
        return values.get(TOKENS_PER_STORY);
    }

    /**
     * How long a story may be worked on, from SETUP on. Waiting for a reply of the architect, or in SUSPEND for a service, does
     * not count. When it is used up, a call of a tool, a request to a model and a run of tests are stopped, and none is begun
     * before more is {@linkplain #budgetReviews() granted}.
     *
     * @return 2 hours unless set
     */
    public Duration timePerStory() {
        return values.get(TIME_PER_STORY);
    }

    /**
     * How many US dollars coder and architect together may cost for an attempt at a story before the architect is asked, who may
     * {@linkplain #budgetReviews() grant} it once more; and those of a visit of SCOPING or EDITING. Every model must have a price
     * then.
     *
     * @return empty unless set: no limit
     */
    public Optional<BigDecimal> costPerStory() {
        return values.find(COST_PER_STORY);
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
        return Optional.ofNullable(values.get(COST_CAPS).get(scope));
    }

    /**
     * How often a model is reminded, in one visit of a state, that it ended its turn without completing anything.
     *
     * @return 3 unless set
     */
    public int reminders() {
        return values.get(REMINDERS);
    }

    /**
     * How often a story may come back from each kind of review, from TESTING, from a question and from merging.
     *
     * @return 8 unless set
     */
    public int rounds() {
        return values.get(ROUNDS);
    }

    /**
     * How often the architect may grant more budget: each time tokens, cost and time once more. So with 3 an attempt can cost
     * four times its limits, and the answer on top that goes beyond them; with 0 a limit that is reached is the end. A
     * {@link #costCap} is never raised.
     *
     * @return 3 unless set
     */
    public int budgetReviews() {
        return values.get(BUDGET_REVIEWS);
    }

    /**
     * How many tokens one answer of a model may have.
     *
     * @return 8,192 unless set
     */
    public int answerTokens() {
        return values.get(ANSWER_TOKENS);
    }

    /**
     * How many tokens are sent to a model at most, about; older turns of a longer conversation are shortened or left out. Less
     * than the model's window, which must hold the answer too.
     *
     * @return 150,000 unless set
     */
    public int contextTokens() {
        return values.get(CONTEXT_TOKENS);
    }

    /**
     * How long the project's tests may take, and so each command that prepares, builds or lints it.
     *
     * @return 15 minutes unless set
     */
    public Duration testTime() {
        return values.get(TEST_TIME);
    }

    /**
     * How long a story waits in SUSPEND for a service that is down before it ends in ERROR.
     *
     * @return 15 minutes unless set
     */
    public Duration suspendTime() {
        return values.get(SUSPEND_TIME);
    }

    /**
     * How long a story waits in SUSPEND before the service is tried again, unless the service names a longer time.
     *
     * @return 15 seconds unless set
     */
    public Duration suspendInterval() {
        return values.get(SUSPEND_INTERVAL);
    }

    /**
     * How long a story that waits for a reply, or for the checks of a forge, keeps its coder and its container. After that it
     * is parked: it takes no coder, thread, container or budget until it can go on, and keeps its workspace and its lease.
     *
     * @return 10 minutes unless set
     */
    public Duration parkAfter() {
        return values.get(PARK_AFTER);
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
        return values.get(REPLY_TIMES).getOrDefault(kind, REPLY_TIME);
    }

    /**
     * The same limits where an architect of the host's, who may be a person, replies to some kinds of requests.
     *
     * @param kinds what it replies to
     * @return limits with 7 days for those of these kinds whose {@linkplain #replyTime time} was not set, but for {@code
     *     TOOL_CALL}, about which a coder that keeps its container waits
     */
    public Limits forHost(Set<Architect.Kind> kinds) {
        Map<Architect.Kind, Duration> all = new EnumMap<>(Architect.Kind.class);
        kinds.stream()
                .filter(kind -> kind != Architect.Kind.TOOL_CALL) // a coder and its container wait meanwhile
                .forEach(kind -> all.put(kind, HOST_REPLY_TIME));
        all.putAll(values.get(REPLY_TIMES));
        return new Limits(values.with(REPLY_TIMES, all));
    }

    /**
     * How often the architect may rewrite a story of a specification that has failed, and have it tried again.
     *
     * @return 2 unless set
     */
    public int storyRetries() {
        return values.get(STORY_RETRIES);
    }

    /** Collects limits. Not safe for use by several threads. */
    public static final class Builder {
        private SettingValues values;

        private Builder(SettingValues values) {
            this.values = values;
        }

        private <T> Builder with(Setting<T> setting, T value) {
            values = values.with(setting, value);
            return this;
        }

        private <K extends Enum<K>, V> Builder put(Setting<Map<K, V>> setting, Class<K> kinds, K kind, V value) {
            Map<K, V> all = new EnumMap<>(kinds);
            all.putAll(values.get(setting));
            all.put(kind, value);
            return with(setting, all);
        }

        /**
         * Sets {@link Limits#turnsPerState()}.
         *
         * @param turns more than zero
         * @return this
         */
        public Builder turnsPerState(int turns) {
            return with(TURNS_PER_STATE, turns);
        }

        /**
         * Sets {@link Limits#tokensPerStory()}.
         *
         * @param tokens more than zero
         * @return this
         */
        public Builder tokensPerStory(long tokens) {
            return with(TOKENS_PER_STORY, tokens);
        }

        /**
         * Sets {@link Limits#timePerStory()}.
         *
         * @param time more than zero
         * @return this
         */
        public Builder timePerStory(Duration time) {
            return with(TIME_PER_STORY, time);
        }

        /**
         * Sets {@link Limits#costPerStory()}.
         *
         * @param dollars US dollars, more than zero
         * @return this
         */
        public Builder costPerStory(BigDecimal dollars) {
            return with(COST_PER_STORY, dollars);
        }

        /**
         * Sets {@link Limits#costCap} for one scope.
         *
         * @param scope of what
         * @param dollars US dollars, more than zero
         * @return this
         */
        public Builder costCap(CostScope scope, BigDecimal dollars) {
            requirePositive("costCap(" + scope + ")", dollars, dollars);
            return put(COST_CAPS, CostScope.class, scope, dollars);
        }

        /**
         * Sets {@link Limits#reminders()}.
         *
         * @param count more than zero
         * @return this
         */
        public Builder reminders(int count) {
            return with(REMINDERS, count);
        }

        /**
         * Sets {@link Limits#rounds()}.
         *
         * @param count more than zero
         * @return this
         */
        public Builder rounds(int count) {
            return with(ROUNDS, count);
        }

        /**
         * Sets {@link Limits#budgetReviews()}.
         *
         * @param count 0 or more; 0 for no more than the limits
         * @return this
         */
        public Builder budgetReviews(int count) {
            return with(BUDGET_REVIEWS, count);
        }

        /**
         * Sets {@link Limits#answerTokens()}.
         *
         * @param tokens more than zero
         * @return this
         */
        public Builder answerTokens(int tokens) {
            return with(ANSWER_TOKENS, tokens);
        }

        /**
         * Sets {@link Limits#contextTokens()}.
         *
         * @param tokens at least 4,000
         * @return this
         */
        public Builder contextTokens(int tokens) {
            return with(CONTEXT_TOKENS, tokens);
        }

        /**
         * Sets {@link Limits#testTime()}.
         *
         * @param time more than zero
         * @return this
         */
        public Builder testTime(Duration time) {
            return with(TEST_TIME, time);
        }

        /**
         * Sets {@link Limits#suspendTime()}.
         *
         * @param time more than zero
         * @return this
         */
        public Builder suspendTime(Duration time) {
            return with(SUSPEND_TIME, time);
        }

        /**
         * Sets {@link Limits#suspendInterval()}.
         *
         * @param time more than zero
         * @return this
         */
        public Builder suspendInterval(Duration time) {
            return with(SUSPEND_INTERVAL, time);
        }

        /**
         * Sets {@link Limits#parkAfter()}.
         *
         * @param time more than zero
         * @return this
         */
        public Builder parkAfter(Duration time) {
            return with(PARK_AFTER, time);
        }

        /**
         * Sets {@link Limits#replyTime} for every kind of request.
         *
         * @param time more than zero
         * @return this
         */
        public Builder replyTime(Duration time) {
            for (Architect.Kind kind : Architect.Kind.values()) {
                replyTime(kind, time);
            }
            return this;
        }

        /**
         * Sets {@link Limits#replyTime} for one kind of request.
         *
         * @param kind what is asked
         * @param time more than zero; for a person who may be asleep, days
         * @return this
         */
        public Builder replyTime(Architect.Kind kind, Duration time) {
            requirePositive("replyTime", time);
            return put(REPLY_TIMES, Architect.Kind.class, kind, time);
        }

        /**
         * Sets {@link Limits#storyRetries()}.
         *
         * @param count 0 or more
         * @return this
         */
        public Builder storyRetries(int count) {
            return with(STORY_RETRIES, count);
        }

        /**
         * Makes the limits.
         *
         * @return the limits
         */
        public Limits build() {
            return new Limits(values);
        }
    }
}
