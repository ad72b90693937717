package io.maestro.record.internal;

import io.maestro.llm.Usage;
import io.maestro.record.AuditLog.Approval;
import io.maestro.record.AuditLog.ChatPost;
import io.maestro.record.AuditLog.Cost;
import io.maestro.record.AuditLog.Effect;
import io.maestro.record.AuditLog.Message;
import io.maestro.record.AuditLog.NetworkConnection;
import io.maestro.record.AuditLog.Page;
import io.maestro.record.AuditLog.Session;
import io.maestro.record.AuditLog.SpecRecord;
import io.maestro.record.AuditLog.SpecTransition;
import io.maestro.record.AuditLog.StateTransition;
import io.maestro.record.AuditLog.StoryRecord;
import io.maestro.record.AuditLog.ToolExecution;
import io.maestro.story.ArchitectState;
import io.maestro.story.CoderState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is read, in SQL that SQLite and PostgreSQL share. */
public final class Selects {
    private static final String LATEST = "attempt = (SELECT max(attempt) FROM stories WHERE id = story.id)";

    /** {@link CoderState#isFinal()} and {@link ArchitectState#isFinal()}. */
    private static final String FINAL = "('DONE', 'ERROR')";

    /** An index has all of it, so that no text is read. */
    static final String COSTS = """
            SELECT attempt, agent_id, state, model, sum(requests) AS requests, sum(input_tokens) AS input,
                sum(output_tokens) AS output, sum(cache_read_tokens) AS cached, sum(cache_write_tokens) AS caching,
                sum(nanodollars) AS cost, nanodollars IS NOT NULL AS known
            FROM model_usage WHERE story_id = ?
            GROUP BY attempt, agent_id, state, model, nanodollars IS NOT NULL""";

    private static final String OPEN_COSTS = """
            SELECT attempt, agent_id, state, model, count(*) AS requests, 0 AS input, 0 AS output, 0 AS cached,
                0 AS caching, sum(nanodollars) AS cost, true AS known
            FROM open_requests WHERE owner IN (?, ?) GROUP BY attempt, agent_id, state, model""";

    private Selects() {}

    public static List<Session> sessions(Statements database) throws SQLException {
        return database.query("SELECT * FROM sessions ORDER BY seq", Selects::sessionOf);
    }

    public static List<Page<Session>> sessions(Statements database, long after, int most) throws SQLException {
        return page(
                database,
                "SELECT * FROM sessions WHERE seq > ? ORDER BY seq LIMIT ?",
                Selects::sessionOf,
                after,
                after,
                most);
    }

    /** The repositories of the sessions that have got as far as a branch. */
    public static List<String> repositories(Statements database) throws SQLException {
        return database.query(
                "SELECT DISTINCT repository FROM sessions WHERE id IN"
                        + " (SELECT session_id FROM stories WHERE branch IS NOT NULL OR state = 'DONE')"
                        + " ORDER BY repository",
                row -> row.getString(1));
    }

    /** The latest attempt of each. */
    public static List<StoryRecord> stories(Statements database) throws SQLException {
        return database.query("SELECT * FROM stories AS story WHERE " + LATEST + " ORDER BY id", Selects::storyOf);
    }

    /** The latest attempt of each. */
    public static List<StoryRecord> stories(Statements database, String after, int most) throws SQLException {
        return database.query(
                "SELECT * FROM stories AS story WHERE id > ? AND " + LATEST + " ORDER BY id LIMIT ?",
                Selects::storyOf,
                after,
                most);
    }

    /** The latest attempt of each. */
    public static List<StoryRecord> openStories(Statements database) throws SQLException {
        return database.query(
                "SELECT * FROM stories AS story WHERE state NOT IN " + FINAL + " AND " + LATEST + " ORDER BY id",
                Selects::storyOf);
    }

    /** The latest attempt, or nothing. */
    public static List<StoryRecord> story(Statements database, String storyId) throws SQLException {
        return database.query(
                "SELECT * FROM stories WHERE id = ? ORDER BY attempt DESC LIMIT 1", Selects::storyOf, storyId);
    }

    public static List<StateTransition> transitions(Statements database, String storyId) throws SQLException {
        return database.query(
                "SELECT * FROM state_transitions WHERE story_id = ? ORDER BY seq", Selects::transitionOf, storyId);
    }

    static List<Page<String>> changedStories(Statements database, long after) throws SQLException {
        // First the number: a change that is written between the two is told again.
        long last = database.query("SELECT coalesce(max(seq), 0) FROM state_transitions", row -> row.getLong(1))
                .get(0);
        List<String> ids = last <= after
                ? List.of()
                : database.query(
                        "SELECT DISTINCT story_id FROM state_transitions WHERE seq > ?",
                        row -> row.getString(1),
                        after);
        return List.of(new Page<>(ids, last));
    }

    public static List<Message> messages(Statements database, String storyId) throws SQLException {
        return database.query("SELECT * FROM messages WHERE story_id = ? ORDER BY seq", messages(database), storyId);
    }

    public static List<Page<Message>> messages(Statements database, String storyId, long after, int most)
            throws SQLException {
        return page(
                database,
                "SELECT * FROM messages WHERE story_id = ? AND seq > ? ORDER BY seq LIMIT ?",
                messages(database),
                after,
                storyId,
                after,
                most);
    }

    public static List<Cost> costs(Statements database, String storyId) throws SQLException {
        List<Cost> costs = new ArrayList<>(database.query(COSTS, row -> costOf(row, true), storyId));
        costs.addAll(
                database.query(OPEN_COSTS, row -> costOf(row, false), Leases.story(storyId), Leases.spec(storyId)));
        costs.sort(Comparator.comparingInt(Cost::attempt)
                .thenComparing(Cost::agentId)
                .thenComparing(Cost::state)
                .thenComparing(Cost::model));
        return costs;
    }

    private static Cost costOf(ResultSet row, boolean answered) throws SQLException {
        long nanodollars = row.getLong("cost");
        return new Cost(
                row.getInt("attempt"),
                row.getString("agent_id"),
                row.getString("state"),
                row.getString("model"),
                row.getLong("requests"),
                new Usage(row.getLong("input"), row.getLong("output"), row.getLong("cached"), row.getLong("caching")),
                row.getBoolean("known") ? Spending.dollars(nanodollars) : null,
                answered);
    }

    public static List<Page<ToolExecution>> toolExecutions(Statements database, String storyId, long after, int most)
            throws SQLException {
        return page(
                database,
                "SELECT * FROM tool_executions WHERE story_id = ? AND seq > ? ORDER BY seq LIMIT ?",
                Selects::toolExecutionOf,
                after,
                storyId,
                after,
                most);
    }

    public static List<ToolExecution> toolExecutions(Statements database, String storyId) throws SQLException {
        return database.query(
                "SELECT * FROM tool_executions WHERE story_id = ? ORDER BY seq", Selects::toolExecutionOf, storyId);
    }

    public static List<Effect> effects(Statements database, String storyId) throws SQLException {
        return database.query("SELECT * FROM effects WHERE story_id = ? ORDER BY seq", Selects::effectOf, storyId);
    }

    static List<Effect> effect(Statements database, String id) throws SQLException {
        return database.query("SELECT * FROM effects WHERE id = ?", Selects::effectOf, id);
    }

    public static List<SpecRecord> specs(Statements database) throws SQLException {
        return database.query("SELECT * FROM specs ORDER BY id", Selects::specOf);
    }

    public static List<SpecRecord> openSpecs(Statements database) throws SQLException {
        return database.query("SELECT * FROM specs WHERE state NOT IN " + FINAL + " ORDER BY id", Selects::specOf);
    }

    public static List<SpecRecord> spec(Statements database, String specId) throws SQLException {
        return database.query("SELECT * FROM specs WHERE id = ?", Selects::specOf, specId);
    }

    public static List<SpecTransition> specTransitions(Statements database, String specId) throws SQLException {
        return database.query(
                "SELECT * FROM spec_transitions WHERE spec_id = ? ORDER BY seq", Selects::specTransitionOf, specId);
    }

    /** The latest attempt of each. */
    public static List<StoryRecord> storiesOf(Statements database, String specId) throws SQLException {
        return database.query(
                "SELECT * FROM stories AS story WHERE spec_id = ? AND " + LATEST + " ORDER BY position, id",
                Selects::storyOf,
                specId);
    }

    public static List<String> todos(Statements database, String storyId, int attempt) throws SQLException {
        return database.query(
                "SELECT todos FROM todos WHERE story_id = ? AND attempt = ?",
                row -> row.getString("todos"),
                storyId,
                attempt);
    }

    public static List<Page<NetworkConnection>> connections(
            Statements database, @Nullable String storyId, long after, int most) throws SQLException {
        return storyId == null
                ? page(
                        database,
                        "SELECT * FROM connections WHERE story_id IS NULL AND seq > ? ORDER BY seq LIMIT ?",
                        Selects::connectionOf,
                        after,
                        after,
                        most)
                : page(
                        database,
                        "SELECT * FROM connections WHERE story_id = ? AND seq > ? ORDER BY seq LIMIT ?",
                        Selects::connectionOf,
                        after,
                        storyId,
                        after,
                        most);
    }

    public static List<ChatPost> chat(Statements database, long after, int most) throws SQLException {
        return database.query(
                "SELECT * FROM chat WHERE number > ? ORDER BY number LIMIT ?", Selects::postOf, after, most);
    }

    public static List<Long> newestPost(Statements database) throws SQLException {
        return database.query("SELECT coalesce(max(number), 0) FROM chat", row -> row.getLong(1));
    }

    /** One page. */
    private static <T> List<Page<T>> page(
            Statements database, String sql, Statements.RowReader<T> reader, long after, @Nullable Object... values)
            throws SQLException {
        long[] last = {after};
        List<T> rows = database.query(
                sql,
                row -> {
                    last[0] = row.getLong("seq");
                    return reader.read(row);
                },
                values);
        return List.of(new Page<>(rows, last[0]));
    }

    private static Session sessionOf(ResultSet row) throws SQLException {
        return new Session(
                row.getString("id"),
                row.getString("repository"),
                Instant.parse(row.getString("started_at")),
                row.getLong("process_id"),
                instant(row.getString("ended_at")));
    }

    private static StoryRecord storyOf(ResultSet row) throws SQLException {
        return new StoryRecord(
                row.getString("id"),
                row.getString("session_id"),
                row.getString("title"),
                row.getString("content"),
                row.getString("type"),
                row.getBoolean("express"),
                CoderState.valueOf(row.getString("state")),
                row.getInt("attempt"),
                row.getString("agent_id"),
                row.getString("branch"),
                row.getString("merge_commit"),
                row.getString("error"),
                row.getString("data"),
                row.getString("spec_id"),
                JsonList.read(row.getString("depends_on")),
                Instant.parse(row.getString("updated_at")));
    }

    private static StateTransition transitionOf(ResultSet row) throws SQLException {
        return new StateTransition(
                row.getString("session_id"),
                row.getString("story_id"),
                row.getInt("attempt"),
                row.getString("agent_id"),
                CoderState.valueOf(row.getString("from_state")),
                CoderState.valueOf(row.getString("to_state")),
                row.getString("reason"),
                Instant.parse(row.getString("timestamp")));
    }

    private static Statements.RowReader<Message> messages(Statements database) {
        SharedPrompts.PromptReader prompts = new SharedPrompts.PromptReader(database);
        return row -> messageOf(row, prompts);
    }

    private static Message messageOf(ResultSet row, SharedPrompts.PromptReader prompts) throws SQLException {
        return new Message(
                row.getString("session_id"),
                row.getString("story_id"),
                row.getInt("attempt"),
                row.getString("agent_id"),
                row.getString("state"),
                row.getInt("step"),
                row.getString("role"),
                prompts.content(row.getString("content")),
                row.getString("model"),
                row.getString("stop_reason"),
                row.getLong("input_tokens"),
                row.getLong("output_tokens"),
                row.getLong("cache_read_tokens"),
                row.getLong("cache_write_tokens"),
                Instant.parse(row.getString("timestamp")));
    }

    static ToolExecution toolExecutionOf(ResultSet row) throws SQLException {
        int exitCode = row.getInt("exit_code");
        boolean noExitCode = row.wasNull();
        return new ToolExecution(
                row.getString("session_id"),
                row.getString("agent_id"),
                row.getString("story_id"),
                row.getInt("attempt"),
                row.getString("state"),
                row.getString("tool_name"),
                row.getString("call_id"),
                row.getString("parent_call_id"),
                row.getString("parameters"),
                row.getString("result"),
                row.getString("error"),
                noExitCode ? null : exitCode,
                row.getLong("duration_ms"),
                Instant.parse(row.getString("timestamp")));
    }

    static Effect effectOf(ResultSet row) throws SQLException {
        return new Effect(
                row.getString("id"),
                row.getString("session_id"),
                row.getString("story_id"),
                row.getInt("attempt"),
                row.getString("agent_id"),
                row.getString("kind"),
                row.getString("request"),
                Instant.parse(row.getString("requested_at")),
                row.getString("reply"),
                instant(row.getString("replied_at")));
    }

    private static SpecRecord specOf(ResultSet row) throws SQLException {
        return new SpecRecord(
                row.getString("id"),
                row.getString("session_id"),
                row.getString("title"),
                row.getString("content"),
                ArchitectState.valueOf(row.getString("state")),
                row.getString("data"),
                row.getString("error"),
                Instant.parse(row.getString("updated_at")));
    }

    private static SpecTransition specTransitionOf(ResultSet row) throws SQLException {
        return new SpecTransition(
                row.getString("session_id"),
                row.getString("spec_id"),
                row.getString("agent_id"),
                ArchitectState.valueOf(row.getString("from_state")),
                ArchitectState.valueOf(row.getString("to_state")),
                row.getString("reason"),
                Instant.parse(row.getString("timestamp")));
    }

    private static ChatPost postOf(ResultSet row) throws SQLException {
        return new ChatPost(
                row.getLong("number"),
                row.getString("session_id"),
                row.getString("story_id"),
                row.getString("author"),
                row.getString("text"),
                Instant.parse(row.getString("timestamp")));
    }

    private static NetworkConnection connectionOf(ResultSet row) throws SQLException {
        return new NetworkConnection(
                row.getString("session_id"),
                row.getString("agent_id"),
                row.getString("story_id"),
                row.getInt("attempt"),
                row.getString("target"),
                row.getString("address"),
                row.getLong("sent_bytes"),
                row.getLong("received_bytes"),
                row.getLong("duration_ms"),
                row.getString("refused"),
                Instant.parse(row.getString("timestamp")));
    }

    private static @Nullable Instant instant(@Nullable String text) {
        return text == null ? null : Instant.parse(text);
    }

    /** All approvals of a story, by request. */
    public static List<Map.Entry<String, Approval>> approvals(Statements database, String storyId) throws SQLException {
        return database.query(
                "SELECT person, message, timestamp, effect_id FROM approvals WHERE story_id = ? ORDER BY seq",
                row -> Map.entry(
                        row.getString(4),
                        new Approval(row.getString(1), row.getString(2), Instant.parse(row.getString(3)))),
                storyId);
    }

    /** Refuses pages without rows. */
    public static int positive(int most) {
        if (most < 1) {
            throw new IllegalArgumentException("at most " + most + " rows: give at least 1");
        }
        return most;
    }
}
