package io.maestro.record.internal;

import io.maestro.record.AuditLog.ToolExecution;
import io.maestro.record.CallQuery;
import io.maestro.record.ResultPage;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The SQL of a {@link CallQuery}. {@link QueryViews} has an index for each filter. */
public final class CallSelects {
    private final CallQuery query;
    private final List<String> conditions = new ArrayList<>();
    private final List<Object> values = new ArrayList<>();

    private CallSelects(CallQuery query) {
        this.query = query;
        query.story().ifPresent(story -> where("story_id = ?", story));
        query.attempt().ifPresent(attempt -> where("attempt = ?", attempt));
        query.call().ifPresent(call -> where("call_id = ?", call));
        query.agent().ifPresent(agent -> where("agent_id = ?", agent));
        query.tool().ifPresent(tool -> where(QueryViews.start("tool_name") + " = substr(?, 1, 100)", tool));
        query.tool().ifPresent(tool -> where("tool_name = ?", tool));
        query.state().ifPresent(state -> where(QueryViews.start("state") + " = substr(?, 1, 100)", state));
        query.state().ifPresent(state -> where("state = ?", state));
        query.outcome()
                .ifPresent(outcome -> where(
                        outcome == CallQuery.Outcome.FAILED
                                ? QueryViews.FAILED
                                : "error IS NULL AND (exit_code IS NULL OR exit_code = 0)"));
        query.from().ifPresent(from -> where("timestamp >= ?", from));
        query.until().ifPresent(until -> where("timestamp < ?", until));
        query.after().ifPresent(this::after);
    }

    public static ResultPage<ToolExecution> page(Statements database, CallQuery query) throws SQLException {
        CallSelects select = new CallSelects(query);
        List<Keyed> found = database.query(select.sql(), select::keyed, select.values());
        int most = Math.min(found.size(), query.most());
        List<ToolExecution> rows =
                found.subList(0, most).stream().map(Keyed::call).toList();
        return new ResultPage<>(
                rows, found.size() > most ? Optional.of(found.get(most - 1).key()) : Optional.empty());
    }

    /** A call, and what the next page comes after when it is the last of its own. */
    private record Keyed(ToolExecution call, String key) {}

    private void where(String condition, Object... of) {
        conditions.add(condition);
        values.addAll(List.of(of));
    }

    private String column() {
        return query.order() == CallQuery.Order.NEWEST ? "timestamp" : "duration_ms";
    }

    /** The rows are found by numbers alone, so that no texts are sorted. */
    String sql() {
        String order = " ORDER BY " + column() + " DESC, seq DESC";
        return "SELECT " + columns() + " FROM tool_executions WHERE seq IN (SELECT seq FROM tool_executions"
                + (conditions.isEmpty() ? "" : " WHERE " + String.join(" AND ", conditions))
                + order + " LIMIT ?)" + order;
    }

    private String columns() {
        if (query.brief().isEmpty()) {
            return "*";
        }
        int most = query.brief().getAsInt();
        return "seq, session_id, agent_id, story_id, attempt, state, tool_name, call_id, parent_call_id, exit_code, duration_ms,"
                + " timestamp, "
                + Stream.of("parameters", "result", "error")
                        .map(column -> "substr(" + column + ", 1, " + most + ") AS " + column)
                        .collect(Collectors.joining(", "));
    }

    Object[] values() {
        List<Object> all = new ArrayList<>(values);
        // One more tells whether there is a next page.
        all.add(query.most() + 1);
        return all.toArray();
    }

    private Keyed keyed(ResultSet row) throws SQLException {
        String key = query.order() + " " + row.getString(column()) + " " + row.getLong("seq");
        return new Keyed(Selects.toolExecutionOf(row), key);
    }

    private void after(String key) {
        String[] words = key.split(" ", -1);
        try {
            if (words.length == 3 && words[0].equals(query.order().name())) {
                Object place =
                        query.order() == CallQuery.Order.NEWEST ? Instant.parse(words[1]) : Long.valueOf(words[1]);
                where("(" + column() + ", seq) < (?, ?)", place, Long.valueOf(words[2]));
                return;
            }
        } catch (NumberFormatException | DateTimeParseException e) {
            // Below.
        }
        throw new IllegalArgumentException("'" + key + "' is no next page of a query for the "
                + query.order().name().toLowerCase(Locale.ROOT) + " calls: give the next() of a page of it");
    }

    /** For a test that looks at the plan. */
    static CallSelects of(CallQuery query) {
        return new CallSelects(query);
    }
}
