package io.maestro.record;

import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How {@link AuditLog#costs(CostQuery)} adds up what models have cost, for which time and how many sums at once. The sums come in
 * the order of their keys, since their amounts change while models work. Immutable.
 */
public final class CostQuery {
    private final Builder parts;
    private final @Nullable String after;

    private CostQuery(Builder parts, @Nullable String after) {
        this.parts = parts;
        this.after = after;
    }

    /** What has a sum of its own. */
    public enum Key {
        /** Each agent, by its id. */
        AGENT,
        /** Each story, and each specification for its scoping and editing, by its id. */
        STORY,
        /** Each day on which a model answered, by its date in the {@linkplain Builder#zone zone}, as in {@code 2026-11-20}. */
        DAY
    }

    /**
     * Adds up by a key.
     *
     * @param key what has a sum of its own
     * @return a builder for all times, with days in UTC
     */
    public static Builder by(Key key) {
        return new Builder(Objects.requireNonNull(key, "key"));
    }

    /**
     * The same query for the next page.
     *
     * @param next the {@link ResultPage#next()} of the page before
     * @return a copy
     */
    public CostQuery after(String next) {
        return new CostQuery(parts, Objects.requireNonNull(next, "next"));
    }

    /** {@return what has a sum of its own} */
    public Key key() {
        return parts.key;
    }

    /** {@return where days begin} */
    public ZoneId zone() {
        return parts.zone;
    }

    /** {@return only answers at this time or later; empty for all} */
    public Optional<Instant> from() {
        return Optional.ofNullable(parts.from);
    }

    /** {@return only answers before this time; empty for all} */
    public Optional<Instant> until() {
        return Optional.ofNullable(parts.until);
    }

    /** {@return how many sums a page has at most; from 1 to 1000} */
    public int most() {
        return parts.most;
    }

    /** {@return the page that this one follows, by its {@link ResultPage#next()}; empty for the first} */
    public Optional<String> after() {
        return Optional.ofNullable(after);
    }

    /** Collects the parts of a query. Not safe for use by several threads. */
    public static final class Builder {
        private final Key key;
        private ZoneId zone = ZoneOffset.UTC;
        private @Nullable Instant from;
        private @Nullable Instant until;
        private int most = ResultPage.DEFAULT_SIZE;

        private Builder(Key key) {
            this.key = key;
        }

        /**
         * Where days begin; without it, in UTC. Of what was pruned only the day in UTC is known: it counts on the day on which
         * its last answer of that day in UTC came.
         *
         * @param place for example {@code ZoneId.of("Europe/Berlin")}; looked at for {@link Key#DAY} only
         * @return this
         */
        public Builder zone(ZoneId place) {
            this.zone = Objects.requireNonNull(place, "place");
            return this;
        }

        /**
         * Only answers at a time or later.
         *
         * @param first the earliest time
         * @return this
         */
        public Builder from(Instant first) {
            this.from = Objects.requireNonNull(first, "first");
            return this;
        }

        /**
         * Only answers before a time.
         *
         * @param end the first time that is too late
         * @return this
         */
        public Builder until(Instant end) {
            this.until = Objects.requireNonNull(end, "end");
            return this;
        }

        /**
         * How many sums a page has at most; without it, 100.
         *
         * @param sums from 1 to 1000
         * @return this
         */
        public Builder most(int sums) {
            this.most = ResultPage.requireSize(sums);
            return this;
        }

        /**
         * Makes the query.
         *
         * @return for the first page
         */
        public CostQuery build() {
            Builder copy = new Builder(key).zone(zone).most(most);
            copy.from = from;
            copy.until = until;
            return new CostQuery(copy, null);
        }
    }
}
