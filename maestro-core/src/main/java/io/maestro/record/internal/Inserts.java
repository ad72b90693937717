package io.maestro.record.internal;

import io.maestro.record.AuditLog.ChatPost;
import io.maestro.record.AuditLog.Effect;
import io.maestro.record.AuditLog.Message;
import io.maestro.record.AuditLog.NetworkConnection;
import io.maestro.record.AuditLog.Session;
import io.maestro.record.AuditLog.SpecRecord;
import io.maestro.record.AuditLog.SpecTransition;
import io.maestro.record.AuditLog.StateTransition;
import io.maestro.record.AuditLog.StoryRecord;
import io.maestro.record.AuditLog.ToolExecution;
import io.maestro.record.StoreException;
import java.sql.SQLException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What is written, in SQL that SQLite and PostgreSQL share. */
final class Inserts {
    private Inserts() {}

    static void session(Statements database, Session session) throws SQLException {
        database.update(
                "INSERT INTO sessions (id, repository, process_id, started_at, ended_at) VALUES (?, ?, ?, ?, ?)",
                session.id(),
                session.repository(),
                session.processId(),
                session.startedAt(),
                session.endedAt());
    }

    static void endOfSession(Statements database, String sessionId, Instant at) throws SQLException {
        if (database.update("UPDATE sessions SET ended_at = ? WHERE id = ?", at, sessionId) == 0) {
            throw new StoreException("session " + sessionId + " was never begun", null);
        }
    }

    /**
     * Each attempt is a row of its own: what became of an earlier one stays known. It takes its place among the stories of
     * its specification when it is written for the first time, and all its attempts keep that place.
     */
    static void story(Statements database, StoryRecord story) throws SQLException {
        database.update(
                """
                INSERT INTO stories (id, attempt, session_id, title, content, type, express, state, agent_id, branch,
                    merge_commit, error, data, spec_id, depends_on, updated_at, position)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, coalesce(
                    (SELECT min(position) FROM stories WHERE id = ? AND spec_id = ?),
                    (SELECT max(position) + 1 FROM stories WHERE spec_id = ?),
                    0))
                ON CONFLICT (id, attempt) DO UPDATE SET session_id = excluded.session_id, title = excluded.title,
                    content = excluded.content, type = excluded.type, express = excluded.express,
                    state = excluded.state, agent_id = excluded.agent_id, branch = excluded.branch,
                    merge_commit = excluded.merge_commit, error = excluded.error, data = excluded.data,
                    spec_id = excluded.spec_id, depends_on = excluded.depends_on,
                    updated_at = excluded.updated_at""",
                story.id(),
                story.attempt(),
                story.sessionId(),
                story.title(),
                story.content(),
                story.type(),
                story.express(),
                story.state(),
                story.agentId(),
                story.branch(),
                story.mergeCommit(),
                story.error(),
                story.data(),
                story.specId(),
                JsonList.write(story.dependsOn()),
                story.updatedAt(),
                story.id(),
                story.specId(),
                story.specId());
    }

    static void transition(Statements database, StateTransition transition) throws SQLException {
        database.update(
                """
                INSERT INTO state_transitions (session_id, story_id, attempt, agent_id, from_state, to_state, reason,
                    timestamp)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
                transition.sessionId(),
                transition.storyId(),
                transition.attempt(),
                transition.agentId(),
                transition.from(),
                transition.to(),
                transition.reason(),
                transition.at());
    }

    static void message(Statements database, Message message, @Nullable Long nanodollars) throws SQLException {
        database.update(
                """
                INSERT INTO messages (session_id, story_id, attempt, agent_id, state, step, role, content, model,
                    stop_reason, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, timestamp,
                    nanodollars)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
                message.sessionId(),
                message.storyId(),
                message.attempt(),
                message.agentId(),
                message.state(),
                message.step(),
                message.role(),
                message.role().equals("system")
                        ? SharedPrompts.shorten(database, message.state(), message.content())
                        : message.content(),
                message.model(),
                message.stopReason(),
                message.inputTokens(),
                message.outputTokens(),
                message.cacheReadTokens(),
                message.cacheWriteTokens(),
                message.at(),
                nanodollars);
    }

    static void toolExecution(Statements database, ToolExecution execution) throws SQLException {
        database.update(
                """
                INSERT INTO tool_executions (session_id, agent_id, story_id, attempt, state, tool_name, call_id,
                    parent_call_id, parameters, result, error, exit_code, duration_ms, timestamp)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
                execution.sessionId(),
                execution.agentId(),
                execution.storyId(),
                execution.attempt(),
                execution.state(),
                execution.tool(),
                execution.callId(),
                execution.parentCallId(),
                execution.parameters(),
                execution.result(),
                execution.error(),
                execution.exitCode(),
                execution.durationMillis(),
                execution.at());
    }

    static void connection(Statements database, NetworkConnection connection) throws SQLException {
        database.update(
                """
                INSERT INTO connections (session_id, agent_id, story_id, attempt, target, address, sent_bytes,
                    received_bytes, duration_ms, refused, timestamp)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
                connection.sessionId(),
                connection.agentId(),
                connection.storyId(),
                connection.attempt(),
                connection.target(),
                connection.address(),
                connection.sentBytes(),
                connection.receivedBytes(),
                connection.durationMillis(),
                connection.refused(),
                connection.at());
    }

    static void effect(Statements database, Effect effect) throws SQLException {
        database.update(
                """
                INSERT INTO effects (id, session_id, story_id, attempt, agent_id, kind, request, requested_at, reply,
                    replied_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
                effect.id(),
                effect.sessionId(),
                effect.storyId(),
                effect.attempt(),
                effect.agentId(),
                effect.kind(),
                effect.request(),
                effect.requestedAt(),
                effect.reply(),
                effect.repliedAt());
    }

    static void reply(Statements database, String effectId, String reply, Instant at) throws SQLException {
        int rows = database.update(
                "UPDATE effects SET reply = ?, replied_at = ? WHERE id = ? AND reply IS NULL", reply, at, effectId);
        if (rows == 0) {
            throw new StoreException("effect " + effectId + " is unknown, or has its reply already", null);
        }
    }

    static void spec(Statements database, SpecRecord spec) throws SQLException {
        database.update(
                """
                INSERT INTO specs (id, session_id, title, content, state, data, error, updated_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET session_id = excluded.session_id, title = excluded.title,
                    content = excluded.content, state = excluded.state, data = excluded.data, error = excluded.error,
                    updated_at = excluded.updated_at""",
                spec.id(),
                spec.sessionId(),
                spec.title(),
                spec.content(),
                spec.state(),
                spec.data(),
                spec.error(),
                spec.updatedAt());
    }

    static void specTransition(Statements database, SpecTransition transition) throws SQLException {
        database.update(
                """
                INSERT INTO spec_transitions (session_id, spec_id, agent_id, from_state, to_state, reason, timestamp)
                VALUES (?, ?, ?, ?, ?, ?, ?)""",
                transition.sessionId(),
                transition.specId(),
                transition.agentId(),
                transition.from(),
                transition.to(),
                transition.reason(),
                transition.at());
    }

    static void todos(Statements database, String storyId, int attempt, String todos) throws SQLException {
        database.update("""
                INSERT INTO todos (story_id, attempt, todos) VALUES (?, ?, ?)
                ON CONFLICT (story_id, attempt) DO UPDATE SET todos = excluded.todos""", storyId, attempt, todos);
    }

    /** Nobody sees a number before all smaller ones are there: they are given while one transaction at a time may post. */
    static long post(Statements database, Dialect dialect, ChatPost post) throws SQLException {
        if (dialect.oneAtATime() != null) {
            database.query(dialect.oneAtATime(), row -> true);
        }
        long number = database.query("SELECT coalesce(max(number), 0) + 1 FROM chat", row -> row.getLong(1))
                .get(0);
        database.update(
                "INSERT INTO chat (number, session_id, story_id, author, text, timestamp) VALUES (?, ?, ?, ?, ?, ?)",
                number,
                post.sessionId(),
                post.storyId(),
                post.author(),
                post.text(),
                post.at());
        return number;
    }
}
