package io.maestro.record.internal;

import io.maestro.record.CostScope;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.SQLException;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What models have cost, and what requests that are under way may cost at most. One decision at a time is made, over all
 * processes that share a store: while the sum of both is below a cap, a request is let through; so the sum never exceeds a cap
 * by more than one request.
 *
 * <p>A request whose process was killed counts with what it may cost at most, for ever: it may have been answered. Amounts are
 * kept in billionths of a dollar, rounded up. Safe for use by several threads and processes.
 *
 * <p>The tables of costs. {@code spending} has a sum for each story, each specification, each day and all: what was paid, and what
 * requests that have not ended may cost at most. {@code open_requests} has those requests; a row whose session has lost its lease
 * is one that nobody will end. Only one transaction at a time is in here, so that a sum that was read is still true when it is
 * written.
 */
public final class Spending {
    private static final int NANO = 9;
    private static final String TOTAL = "total";

    /** Of one request, in dollars: the sum of nine thousand of them still fits into a column. */
    private static final BigDecimal LARGEST = BigDecimal.valueOf(1_000_000);

    private final GroupCommit writer;
    private final ReadConnection reader;
    private final Dialect dialect;
    private final RedactingRecords records;

    Spending(GroupCommit writer, ReadConnection reader, Dialect dialect, RedactingRecords records) {
        this.writer = writer;
        this.reader = reader;
        this.dialect = dialect;
        this.records = records;
    }

    /**
     * Reserves what a request may cost at most, unless a cap is reached.
     *
     * @param request the request, before it is sent
     * @param caps in US dollars; scopes that do not concern the request are not looked at
     * @return empty when it may be sent; {@link #settle} or {@link Store#recordAnswer} must follow
     */
    public Optional<Refusal> reserve(CostReservation request, Map<CostScope, BigDecimal> caps) {
        CostReservation clean = records.clean(request);
        Map<CostScope, BigDecimal> copy = Map.copyOf(caps);
        AtomicReference<Optional<Refusal>> refusal = new AtomicReference<>(Optional.empty());
        writer.write(
                "what a request to " + clean.model() + " may cost",
                database -> refusal.set(reserve(database, clean, copy)));
        return Objects.requireNonNull(refusal.get());
    }

    /**
     * Puts what a request has cost in the place of what was reserved for it. One that was never reserved is counted.
     *
     * @param request the request
     * @param dollars 0 when it was not answered
     */
    public void settle(CostReservation request, BigDecimal dollars) {
        long nanodollars = nanodollars(dollars);
        writer.write(
                "what a request of " + request.agentId() + " has cost",
                database -> settle(database, request, nanodollars));
    }

    /**
     * Tells what has been spent and reserved.
     *
     * @param scope of what
     * @param id the story or specification; not looked at for {@link CostScope#DAY}, which is today, and
     *     {@link CostScope#TOTAL}
     * @return US dollars
     */
    public BigDecimal spent(CostScope scope, String id) {
        return dollars(
                reader.read(database -> List.of(spent(database, scope, id))).get(0));
    }

    /** Rounded up: what is counted is never less than what is paid, unless that is more than any request costs. */
    static long nanodollars(BigDecimal dollars) {
        BigDecimal nano = dollars.min(LARGEST).movePointRight(NANO);
        return nano.setScale(0, RoundingMode.CEILING).longValueExact();
    }

    /** With cents, and as many places more as it has. */
    static BigDecimal dollars(long nanodollars) {
        BigDecimal exact = BigDecimal.valueOf(nanodollars, NANO).stripTrailingZeros();
        return exact.setScale(Math.max(2, exact.scale()));
    }

    private Optional<Refusal> reserve(Statements database, CostReservation request, Map<CostScope, BigDecimal> caps)
            throws SQLException {
        lock(database);
        String day = today(database);
        Map<CostScope, String> names = names(request, day);
        Map<String, Long> sums = sums(database, names);
        for (Map.Entry<CostScope, String> scope : names.entrySet()) {
            BigDecimal cap = caps.get(scope.getKey());
            long sum = sums.getOrDefault(scope.getValue(), 0L);
            if (cap != null && dollars(sum).compareTo(cap) >= 0) {
                BigDecimal settled = dollars(sum - living(database, scope.getKey(), request, day));
                return Optional.of(new Refusal(scope.getKey(), cap, dollars(sum), settled.compareTo(cap) < 0));
            }
        }
        long most = nanodollars(request.most());
        add(database, names, most);
        database.update(
                """
                INSERT INTO open_requests (id, session_id, owner, spec_id, day, attempt, agent_id, state, model,
                    nanodollars)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
                request.id(),
                request.sessionId(),
                owner(request),
                request.specId(),
                day,
                request.attempt(),
                request.agentId(),
                request.state(),
                request.model(),
                most);
        return Optional.empty();
    }

    void settle(Statements database, CostReservation request, long nanodollars) throws SQLException {
        lock(database);
        record Open(String day, long most) {}
        List<Open> open = database.query(
                "SELECT day, nanodollars FROM open_requests WHERE id = ?",
                row -> new Open(row.getString(1), row.getLong(2)),
                request.id());
        database.update("DELETE FROM open_requests WHERE id = ?", request.id());
        Open reserved = open.isEmpty() ? new Open(today(database), 0) : open.get(0);
        // On the day on which it was reserved, else yesterday would never get back what it has not paid.
        add(database, names(request, reserved.day()), nanodollars - reserved.most());
    }

    private long spent(Statements database, CostScope scope, String id) throws SQLException {
        String name = switch (scope) {
            case STORY -> StorableText.of(Leases.story(id));
            case SPEC -> StorableText.of(Leases.spec(id));
            case DAY -> day(today(database));
            case TOTAL -> TOTAL;
        };
        return sums(database, Map.of(scope, name)).getOrDefault(name, 0L);
    }

    private void lock(Statements database) throws SQLException {
        if (dialect.oneAtATime() != null) {
            database.query(dialect.oneAtATime(), row -> true);
        }
    }

    private String today(Statements database) throws SQLException {
        long millis = database.query("SELECT " + dialect.clock(), row -> row.getLong(1))
                .get(0);
        return LocalDate.ofEpochDay(Duration.ofMillis(millis).toDays()).toString();
    }

    private static String day(String date) {
        return "day/" + date;
    }

    private static String owner(CostReservation request) {
        String storyId = request.storyId();
        return storyId != null ? Leases.story(storyId) : Leases.spec(String.valueOf(request.specId()));
    }

    /** The sums that a request adds to. */
    private static Map<CostScope, String> names(CostReservation request, String day) {
        Map<CostScope, String> names = new EnumMap<>(CostScope.class);
        if (request.storyId() != null) {
            names.put(CostScope.STORY, StorableText.of(Leases.story(request.storyId())));
        }
        if (request.specId() != null) {
            names.put(CostScope.SPEC, StorableText.of(Leases.spec(request.specId())));
        }
        names.put(CostScope.DAY, day(day));
        names.put(CostScope.TOTAL, TOTAL);
        return names;
    }

    private static Map<String, Long> sums(Statements database, Map<CostScope, String> names) throws SQLException {
        Map<String, Long> sums = new HashMap<>();
        database.query(
                "SELECT scope, nanodollars FROM spending WHERE scope IN (" + "?, ".repeat(names.size() - 1) + "?)",
                row -> sums.put(row.getString(1), row.getLong(2)),
                names.values().toArray());
        return sums;
    }

    private static void add(Statements database, Map<CostScope, String> names, long nanodollars) throws SQLException {
        List<@Nullable Object> values = new ArrayList<>();
        for (String name : names.values()) {
            values.add(name);
            values.add(nanodollars);
        }
        database.update(
                "INSERT INTO spending (scope, nanodollars) VALUES " + "(?, ?), ".repeat(names.size() - 1)
                        + "(?, ?) ON CONFLICT (scope) DO UPDATE SET nanodollars ="
                        + " spending.nanodollars + excluded.nanodollars",
                values.toArray());
    }

    /** What is reserved by sessions that still hold the lease of what they ask for. */
    private long living(Statements database, CostScope scope, CostReservation request, String day) throws SQLException {
        String living = "SELECT coalesce(sum(open_requests.nanodollars), 0) FROM open_requests JOIN leases"
                + " ON leases.name = open_requests.owner AND leases.session_id = open_requests.session_id"
                + " WHERE leases.expires_at > " + dialect.clock();
        List<Long> sum = switch (scope) {
            case STORY -> database.query(living + " AND owner = ?", row -> row.getLong(1), owner(request));
            case SPEC -> database.query(living + " AND spec_id = ?", row -> row.getLong(1), request.specId());
            case DAY -> database.query(living + " AND day = ?", row -> row.getLong(1), day);
            case TOTAL -> database.query(living, row -> row.getLong(1));
        };
        return sum.get(0);
    }

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
    public record CostReservation(
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
        public CostReservation {
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
    public record Refusal(CostScope scope, BigDecimal cap, BigDecimal spent, boolean mayPass) {}
}
