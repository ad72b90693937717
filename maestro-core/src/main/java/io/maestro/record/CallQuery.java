package io.maestro.record;

import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Which calls of tools {@link AuditLog#calls} reads, in which order and how many at once. Filters hold together: a call must
 * pass each. Immutable.
 *
 * <pre>{@code
 * CallQuery query = CallQuery.newest().outcome(CallQuery.Outcome.FAILED).tool("shell").build();
 * ResultPage<AuditLog.ToolExecution> page = log.calls(query);
 * while (page.next().isPresent()) {
 *     page = log.calls(query.after(page.next().get()));
 * }
 * }</pre>
 */
public final class CallQuery {
    private final Builder parts;
    private final @Nullable String after;

    private CallQuery(Builder parts, @Nullable String after) {
        this.parts = parts;
        this.after = after;
    }

    /** What comes first. */
    public enum Order {
        /** The call that began last. */
        NEWEST,
        /** The call that took longest; of calls that took equally long, the one that was recorded last. */
        SLOWEST
    }

    /** How a call ended. */
    public enum Outcome {
        /** It gave its answer, and a command that it ran had exit code 0. */
        SUCCEEDED,
        /** It was refused, failed or was stopped, or a command that it ran had another exit code than 0. */
        FAILED
    }

    /**
     * Reads the newest calls first.
     *
     * @return a builder without filters
     */
    public static Builder newest() {
        return new Builder(Order.NEWEST);
    }

    /**
     * Reads the slowest calls first.
     *
     * @return a builder without filters
     */
    public static Builder slowest() {
        return new Builder(Order.SLOWEST);
    }

    /**
     * The same query for the next page.
     *
     * @param next the {@link ResultPage#next()} of the page before
     * @return a copy
     */
    public CallQuery after(String next) {
        return new CallQuery(parts, Objects.requireNonNull(next, "next"));
    }

    /** {@return what comes first} */
    public Order order() {
        return parts.order;
    }

    /** {@return only calls of this agent; empty for all} */
    public Optional<String> agent() {
        return Optional.ofNullable(parts.agent);
    }

    /** {@return only calls of this tool; empty for all} */
    public Optional<String> tool() {
        return Optional.ofNullable(parts.tool);
    }

    /** {@return only calls in this state; empty for all} */
    public Optional<String> state() {
        return Optional.ofNullable(parts.state);
    }

    /** {@return only calls for this story or specification; empty for all} */
    public Optional<String> story() {
        return Optional.ofNullable(parts.story);
    }

    /** {@return only calls in this attempt of the story; empty for all} */
    public OptionalInt attempt() {
        return parts.attempt == 0 ? OptionalInt.empty() : OptionalInt.of(parts.attempt);
    }

    /** {@return only calls with this id; empty for all} */
    public Optional<String> call() {
        return Optional.ofNullable(parts.call);
    }

    /** {@return how many characters of parameters, result and error are read; empty for all} */
    public OptionalInt brief() {
        return parts.brief == 0 ? OptionalInt.empty() : OptionalInt.of(parts.brief);
    }

    /** {@return only calls that ended so; empty for all} */
    public Optional<Outcome> outcome() {
        return Optional.ofNullable(parts.outcome);
    }

    /** {@return only calls that began at this time or later; empty for all} */
    public Optional<Instant> from() {
        return Optional.ofNullable(parts.from);
    }

    /** {@return only calls that began before this time; empty for all} */
    public Optional<Instant> until() {
        return Optional.ofNullable(parts.until);
    }

    /** {@return how many rows a page has at most; from 1 to 1000} */
    public int most() {
        return parts.most;
    }

    /** {@return the page that this one follows, by its {@link ResultPage#next()}; empty for the first} */
    public Optional<String> after() {
        return Optional.ofNullable(after);
    }

    /** Collects the filters of a query. Not safe for use by several threads. */
    public static final class Builder {
        private final Order order;
        private @Nullable String agent;
        private @Nullable String tool;
        private @Nullable String state;
        private @Nullable String story;
        private int attempt;
        private @Nullable String call;
        private int brief;
        private @Nullable Outcome outcome;
        private @Nullable Instant from;
        private @Nullable Instant until;
        private int most = ResultPage.DEFAULT_SIZE;

        private Builder(Order order) {
            this.order = order;
        }

        private Builder(Builder other) {
            this.order = other.order;
            this.agent = other.agent;
            this.tool = other.tool;
            this.state = other.state;
            this.story = other.story;
            this.attempt = other.attempt;
            this.call = other.call;
            this.brief = other.brief;
            this.outcome = other.outcome;
            this.from = other.from;
            this.until = other.until;
            this.most = other.most;
        }

        /**
         * Only calls of one agent.
         *
         * @param agentId for example {@code coder-001}
         * @return this
         */
        public Builder agent(String agentId) {
            this.agent = Objects.requireNonNull(agentId, "agentId");
            return this;
        }

        /**
         * Only calls of one tool.
         *
         * @param name the tool's name; one that no tool has finds the calls that were refused for that
         * @return this
         */
        public Builder tool(String name) {
            this.tool = Objects.requireNonNull(name, "name");
            return this;
        }

        /**
         * Only calls in one state.
         *
         * @param name for example {@code CODING} or {@code TESTING}
         * @return this
         */
        public Builder state(String name) {
            this.state = Objects.requireNonNull(name, "name");
            return this;
        }

        /**
         * Only calls for one story, or for a specification itself.
         *
         * @param storyId its id
         * @return this
         */
        public Builder story(String storyId) {
            this.story = Objects.requireNonNull(storyId, "storyId");
            return this;
        }

        /**
         * Only calls in one attempt of the {@link #story}.
         *
         * @param number from 1
         * @return this
         */
        public Builder attempt(int number) {
            if (number < 1) {
                throw new IllegalArgumentException("an attempt must be 1 or more, is " + number);
            }
            this.attempt = number;
            return this;
        }

        /**
         * Only calls with one id, which is given anew in each attempt.
         *
         * @param callId the call's id
         * @return this
         */
        public Builder call(String callId) {
            this.call = Objects.requireNonNull(callId, "callId");
            return this;
        }

        /**
         * Cuts what is long, for lists of many calls.
         *
         * @param characters how many characters of parameters, result and error are read; 1 or more
         * @return this
         */
        public Builder brief(int characters) {
            if (characters < 1) {
                throw new IllegalArgumentException("brief must be 1 character or more, is " + characters);
            }
            this.brief = characters;
            return this;
        }

        /**
         * Only calls that ended in one way.
         *
         * @param end how
         * @return this
         */
        public Builder outcome(Outcome end) {
            this.outcome = Objects.requireNonNull(end, "end");
            return this;
        }

        /**
         * Only calls that began at a time or later.
         *
         * @param first the earliest time
         * @return this
         */
        public Builder from(Instant first) {
            this.from = Objects.requireNonNull(first, "first");
            return this;
        }

        /**
         * Only calls that began before a time.
         *
         * @param end the first time that is too late
         * @return this
         */
        public Builder until(Instant end) {
            this.until = Objects.requireNonNull(end, "end");
            return this;
        }

        /**
         * How many rows a page has at most; without it, 100.
         *
         * @param rows from 1 to 1000
         * @return this
         */
        public Builder most(int rows) {
            this.most = ResultPage.requireSize(rows);
            return this;
        }

        /**
         * Makes the query.
         *
         * @return for the first page
         * @throws IllegalStateException when there is an attempt without its story
         */
        public CallQuery build() {
            if (attempt > 0 && story == null) {
                throw new IllegalStateException("attempt " + attempt + " of which story? Give the story, too");
            }
            return new CallQuery(new Builder(this), null);
        }
    }
}
