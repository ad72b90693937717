package io.maestro.record.internal;

import io.maestro.llm.Usage;
import io.maestro.record.AuditLog.CostSum;
import io.maestro.record.CostQuery;
import io.maestro.record.ResultPage;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The SQL of a {@link CostQuery}. An index has all of it, so that no text is read. */
public final class CostSelects {
    private static final Instant FIRST = Instant.parse("0000-01-01T00:00:00Z");
    private static final Instant LAST = Instant.parse("9999-12-31T00:00:00Z");

    private static final String SUMS = "coalesce(sum(requests), 0) AS requests,"
            + " coalesce(sum(CASE WHEN nanodollars IS NULL THEN requests ELSE 0 END), 0) AS unpriced,"
            + " coalesce(sum(input_tokens), 0) AS input, coalesce(sum(output_tokens), 0) AS output,"
            + " coalesce(sum(cache_read_tokens), 0) AS cached, coalesce(sum(cache_write_tokens), 0) AS caching,"
            + " coalesce(sum(nanodollars), 0) AS cost FROM timed_usage WHERE timestamp >= ? AND timestamp < ?";

    /** Where the view {@code timed_usage} has its rows from. */
    private static final List<String> SOURCES = List.of("messages WHERE model IS NOT NULL AND", "pruned_usage WHERE");

    private CostSelects() {}

    public static ResultPage<CostSum> page(Statements database, CostQuery query) throws SQLException {
        String after = query.after().map(key -> key(query, key)).orElse(null);
        List<CostSum> found = switch (query.key()) {
            case AGENT -> sums(database, query, "agent_id", after);
            case STORY -> sums(database, query, "story_id", after);
            case DAY -> days(database, query, after);
        };
        if (found.size() <= query.most()) {
            return new ResultPage<>(found, Optional.empty());
        }
        List<CostSum> rows = found.subList(0, query.most());
        return new ResultPage<>(
                rows, Optional.of(query.key() + " " + rows.get(rows.size() - 1).key()));
    }

    private static String key(CostQuery query, String after) {
        String prefix = query.key() + " ";
        if (!after.startsWith(prefix)) {
            throw new IllegalArgumentException(
                    "'" + after + "' is no next page of costs by " + query.key() + ": give the next() of a page of it");
        }
        return after.substring(prefix.length());
    }

    private static List<CostSum> sums(Statements database, CostQuery query, String column, @Nullable String after)
            throws SQLException {
        List<Object> values = new ArrayList<>(
                List.of(query.from().orElse(FIRST), query.until().orElse(LAST)));
        if (after != null) {
            values.add(after);
        }
        values.add(query.most() + 1);
        return database.query(
                "SELECT " + column + " AS name, " + SUMS + (after == null ? "" : " AND " + column + " > ?")
                        + " GROUP BY " + column + " ORDER BY " + column + " LIMIT ?",
                row -> sumOf(row, row.getString("name")),
                values.toArray());
    }

    /** Day by day, since no database knows all zones: where the next one begins tells the first answer after the last. */
    private static List<CostSum> days(Statements database, CostQuery query, @Nullable String after)
            throws SQLException {
        Instant until = query.until().orElse(LAST);
        Instant from = query.from().orElse(FIRST);
        if (after != null) {
            from = latest(from, begin(query, day(after).plusDays(1)));
        }
        List<CostSum> days = new ArrayList<>();
        Optional<Instant> next = first(database, from, until);
        while (next.isPresent() && days.size() <= query.most()) {
            LocalDate day = LocalDate.ofInstant(next.get(), query.zone());
            Instant end = begin(query, day.plusDays(1));
            days.addAll(database.query(
                    "SELECT " + SUMS, row -> sumOf(row, day.toString()), from, end.isBefore(until) ? end : until));
            from = end;
            next = first(database, from, until);
        }
        return days;
    }

    private static LocalDate day(String date) {
        try {
            return LocalDate.parse(date);
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException("'" + date + "' is no day: give the next() of a page", e);
        }
    }

    private static Instant begin(CostQuery query, LocalDate day) {
        return day.atStartOfDay(query.zone()).toInstant();
    }

    private static Instant latest(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }

    private static Optional<Instant> first(Statements database, Instant from, Instant until) throws SQLException {
        List<Instant> first = new ArrayList<>();
        for (String source : SOURCES) {
            first.addAll(database.query(
                    "SELECT timestamp FROM " + source + " timestamp >= ? AND timestamp < ? ORDER BY timestamp LIMIT 1",
                    row -> Instant.parse(row.getString(1)),
                    from,
                    until));
        }
        return first.stream().min(Instant::compareTo);
    }

    private static CostSum sumOf(ResultSet row, String key) throws SQLException {
        return new CostSum(
                key,
                row.getLong("requests"),
                new Usage(row.getLong("input"), row.getLong("output"), row.getLong("cached"), row.getLong("caching")),
                Spending.dollars(row.getLong("cost")),
                row.getLong("unpriced"));
    }
}
