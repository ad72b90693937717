package io.maestro.audit.internal;

import io.maestro.audit.AuditLog;
import io.maestro.audit.Requests;
import io.maestro.audit.Requests.Approval;
import io.maestro.audit.Requests.Row;
import io.maestro.audit.Requests.Verdict;
import io.maestro.audit.Store.Effect;
import io.maestro.audit.StoreException;
import io.maestro.internal.PersonName;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The rows of requests on which people decide: each belongs to an effect, whose reply is theirs. */
final class RequestRows {
    /** Not released yet. */
    static final String STEP = """
            CREATE INDEX effects_without_reply ON effects (seq) WHERE reply IS NULL;

            CREATE TABLE requests (
                effect_id TEXT NOT NULL PRIMARY KEY,
                story_id TEXT NOT NULL,
                due_at TEXT NOT NULL,
                needed INTEGER NOT NULL
            ) STRICT;
            CREATE INDEX requests_by_story ON requests (story_id);

            CREATE TABLE approvals (
                seq INTEGER PRIMARY KEY,
                effect_id TEXT NOT NULL,
                story_id TEXT NOT NULL,
                person TEXT NOT NULL,
                message TEXT NOT NULL,
                timestamp TEXT NOT NULL,
                UNIQUE (effect_id, person)
            ) STRICT;
            CREATE INDEX approvals_by_story ON approvals (story_id);
            KEEP approvals;
            PRUNE approvals BY OLD.story_id;
            """;

    private static final String WITHDRAWN = "{\"decision\":\"" + Requests.WITHDRAWN + "\",\"message\":\"\"}";

    private static final String ROWS = """
            SELECT effects.*, requests.due_at, requests.needed, stories.title AS story_title,
                stories.content AS story_content
            FROM effects JOIN requests ON requests.effect_id = effects.id
                JOIN stories ON stories.id = effects.story_id AND stories.attempt = effects.attempt
            WHERE\s""";

    private RequestRows() {}

    private record Terms(int needed, Instant until) {}

    private static String late(Instant until) {
        return "{\"decision\":\"" + Requests.TIMEOUT + "\",\"message\":\"no reply until " + until + "\"}";
    }

    static void open(Statements database, Effect effect, Instant until, int approvals) throws SQLException {
        if (database.query(
                        "SELECT 1 FROM stories WHERE id = ? AND attempt = ? AND state NOT IN ('DONE', 'ERROR')",
                        row -> 1,
                        effect.storyId(),
                        effect.attempt())
                .isEmpty()) {
            throw new StoreException(
                    "attempt " + effect.attempt() + " at story " + effect.storyId()
                            + " has ended: it asks nobody any more",
                    null);
        }
        if (database.query("SELECT 1 FROM effects WHERE id = ?", row -> 1, effect.id())
                .isEmpty()) {
            Inserts.effect(database, effect);
        }
        database.update(
                "INSERT INTO requests (effect_id, story_id, due_at, needed) VALUES (?, ?, ?, ?)"
                        + " ON CONFLICT (effect_id) DO NOTHING",
                effect.id(),
                effect.storyId(),
                until,
                approvals);
    }

    /** A story leaves the state in which an attempt, or an earlier one, has asked. */
    static void withdraw(Statements database, String storyId, int attempt, Instant at) throws SQLException {
        database.update("""
                UPDATE effects SET reply = ?, replied_at = ?
                WHERE reply IS NULL AND attempt <= ? AND id IN (SELECT effect_id FROM requests WHERE story_id = ?)""", WITHDRAWN, at, attempt, storyId);
    }

    static Verdict reply(
            Statements database, String id, String person, boolean approves, String message, String reply, Instant at)
            throws SQLException {
        List<Terms> terms = database.query(
                "SELECT needed, due_at FROM requests WHERE effect_id = ?",
                row -> new Terms(row.getInt(1), Instant.parse(row.getString(2))),
                id);
        if (terms.isEmpty()) {
            return Verdict.UNKNOWN;
        }
        // Changes nothing, but from here on nobody else can reply until this is committed.
        int open = database.update("UPDATE effects SET kind = kind WHERE id = ? AND reply IS NULL", id);
        if (open == 0) {
            return Verdict.TOO_LATE;
        }
        int needed = terms.get(0).needed();
        Instant until = terms.get(0).until();
        if (!person.isEmpty() && !at.isBefore(until)) {
            Inserts.reply(database, id, late(until), at);
            return Verdict.TOO_LATE;
        }
        if (approves && needed > 1 && approvals(database, id, person, message, at) < needed) {
            return Verdict.MORE_NEEDED;
        }
        Inserts.reply(database, id, reply, at);
        return Verdict.COUNTS;
    }

    private static int approvals(Statements database, String id, String person, String message, Instant at)
            throws SQLException {
        List<Approval> before = given(database, id);
        if (before.stream().anyMatch(one -> PersonName.isSame(one.person(), person))) {
            return before.size();
        }
        database.update("""
                INSERT INTO approvals (effect_id, story_id, person, message, timestamp)
                SELECT effect_id, story_id, ?, ?, ? FROM requests WHERE effect_id = ?""", person, message, at, id);
        return before.size() + 1;
    }

    private static List<Approval> given(Statements database, String id) throws SQLException {
        return database.query(
                "SELECT person, message, timestamp FROM approvals WHERE effect_id = ? ORDER BY seq",
                row -> new Approval(row.getString(1), row.getString(2), Instant.parse(row.getString(3))),
                id);
    }

    /** All of a story, by request. */
    static List<Map.Entry<String, Approval>> approvals(Statements database, String storyId) throws SQLException {
        return database.query(
                "SELECT person, message, timestamp, effect_id FROM approvals WHERE story_id = ? ORDER BY seq",
                row -> Map.entry(
                        row.getString(4),
                        new Approval(row.getString(1), row.getString(2), Instant.parse(row.getString(3)))),
                storyId);
    }

    static List<String> pendingIds(Statements database) throws SQLException {
        return database.query(
                "SELECT id FROM effects JOIN requests ON effect_id = id WHERE reply IS NULL", row -> row.getString(1));
    }

    static List<Row> find(Statements database, String id) throws SQLException {
        return withApprovals(database, database.query(ROWS + "effects.id = ?", RequestRows::rowOf, id));
    }

    /** One page. */
    static List<AuditLog.Page<Row>> pending(Statements database, long after, int most, Instant now)
            throws SQLException {
        List<Long> numbers = new ArrayList<>();
        List<Row> rows = database.query(
                ROWS + "effects.reply IS NULL AND effects.seq > ? AND requests.due_at > ? ORDER BY effects.seq LIMIT ?",
                row -> {
                    numbers.add(row.getLong("seq"));
                    return rowOf(row);
                },
                after,
                now,
                most);
        long last = numbers.isEmpty() ? after : numbers.get(numbers.size() - 1);
        return List.of(new AuditLog.Page<>(withApprovals(database, rows), last));
    }

    private static List<Row> withApprovals(Statements database, List<Row> rows) throws SQLException {
        List<Row> whole = new ArrayList<>();
        for (Row row : rows) {
            List<Approval> given =
                    row.approvals() > 1 ? given(database, row.effect().id()) : List.of();
            whole.add(new Row(row.effect(), row.storyTitle(), row.storyContent(), row.until(), row.approvals(), given));
        }
        return whole;
    }

    private static Row rowOf(ResultSet row) throws SQLException {
        return new Row(
                Selects.effectOf(row),
                row.getString("story_title"),
                row.getString("story_content"),
                Instant.parse(row.getString("due_at")),
                row.getInt("needed"),
                List.of());
    }
}
