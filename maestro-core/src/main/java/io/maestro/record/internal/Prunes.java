package io.maestro.record.internal;

import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

/**
 * Takes what is old out of the record: of stories and specifications that have ended, all but their own rows, by which they
 * are known, and what models have used for them. The database refuses to delete anything else.
 */
final class Prunes {
    /** The rows about a story; those about a specification's scoping have its id there. */
    private static final List<String> TABLES = List.of(
            "messages",
            "tool_executions",
            "approvals",
            "cancellations",
            "requests",
            "effects",
            "state_transitions",
            "todos",
            "connections");

    private static final String NOT_NEWEST = " AND number < (SELECT max(number) FROM chat)";

    private Prunes() {}

    /** What has ended before that time, and is not pruned yet. */
    static List<String> finished(Statements database, Instant before) throws SQLException {
        return database.query("""
                SELECT id FROM stories AS story
                WHERE state IN ('DONE', 'ERROR') AND updated_at < ?
                    AND attempt = (SELECT max(attempt) FROM stories WHERE id = story.id)
                    AND (spec_id IS NULL OR spec_id IN (SELECT id FROM specs WHERE state IN ('DONE', 'ERROR')))
                    AND id NOT IN (SELECT id FROM specs)
                    AND (EXISTS (SELECT 1 FROM messages WHERE story_id = story.id)
                        OR EXISTS (SELECT 1 FROM state_transitions WHERE story_id = story.id))
                UNION ALL
                SELECT id FROM specs AS spec
                WHERE state IN ('DONE', 'ERROR') AND updated_at < ?
                    AND id NOT IN (SELECT id FROM stories)
                    AND (EXISTS (SELECT 1 FROM messages WHERE story_id = spec.id)
                        OR EXISTS (SELECT 1 FROM spec_transitions WHERE spec_id = spec.id))
                ORDER BY id""", row -> row.getString(1), before, before);
    }

    /** Prunes a story or a specification. */
    static void prune(Statements database, String id) throws SQLException {
        database.update("INSERT INTO pruning (id) VALUES (?)", id);
        database.update("""
                INSERT INTO pruned_usage (story_id, attempt, agent_id, state, model, requests, input_tokens,
                    output_tokens, cache_read_tokens, cache_write_tokens, nanodollars, timestamp)
                SELECT story_id, attempt, agent_id, state, model, count(*), sum(input_tokens), sum(output_tokens),
                    sum(cache_read_tokens), sum(cache_write_tokens), sum(nanodollars), max(timestamp)
                FROM messages WHERE story_id = ? AND model IS NOT NULL
                GROUP BY story_id, attempt, agent_id, state, model, nanodollars IS NOT NULL,
                    substr(timestamp, 1, 10)""", id);
        for (String table : TABLES) {
            database.update("DELETE FROM " + table + " WHERE story_id = ?", id);
        }
        database.update("DELETE FROM spec_transitions WHERE spec_id = ?", id);
        database.update("DELETE FROM chat WHERE story_id = ?" + NOT_NEWEST, id);
        database.update("DELETE FROM pruning");
    }

    /** Prunes what was written for no story: connections, and posts to all. The newest stays: no number is given twice. */
    static void pruneUnrelated(Statements database, Instant before) throws SQLException {
        database.update("INSERT INTO pruning (id) VALUES ('')");
        database.update("DELETE FROM connections WHERE story_id IS NULL AND timestamp < ?", before);
        database.update("DELETE FROM chat WHERE story_id IS NULL AND timestamp < ?" + NOT_NEWEST, before);
        database.update("DELETE FROM pruning");
    }
}
