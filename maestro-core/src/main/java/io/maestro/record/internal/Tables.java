package io.maestro.record.internal;

import java.util.List;

/**
 * The tables of the record, which an empty database gets.
 *
 * <p>The SQL is SQLite's; {@link PostgresSchema} translates it. Beside SQL there are:
 *
 * <ul>
 *   <li>{@code KEEP table}: rows of the table are never changed and never deleted.
 *   <li>{@code KEEP table BY key}: they are deleted only while their key stands in {@code pruning}, which is empty but in a
 *       transaction that prunes.
 *   <li>{@code KEEP ANSWERS}: rows of {@code effects} are changed once, by their reply, and deleted as others that are kept.
 *   <li>{@code FINISHED pruning}: no row of it names a story or a specification that has not ended.
 * </ul>
 *
 * <p>Messages and tool executions refer to sessions and stories without a foreign key, on purpose: a row about a story
 * that nobody announced is worth more than its absence.
 */
final class Tables {
    /** The version that this Maestro reads and writes; those up to 10 were before the first release. */
    static final int VERSION = 11;

    static final String NOT_ENDED = "what has not ended is kept";

    /** What {@code FINISHED} refuses. */
    static final String UNFINISHED =
            "EXISTS (SELECT 1 FROM stories AS story WHERE id = NEW.id AND state NOT IN ('DONE',"
                    + " 'ERROR') AND attempt = (SELECT max(attempt) FROM stories WHERE id = story.id))"
                    + " OR EXISTS (SELECT 1 FROM specs WHERE id = NEW.id AND state NOT IN ('DONE', 'ERROR'))";

    private static final String TABLES = """
            CREATE TABLE maestro_schema (version INTEGER NOT NULL) STRICT;

            CREATE TABLE sessions (
                seq INTEGER PRIMARY KEY,
                id TEXT NOT NULL UNIQUE,
                repository TEXT NOT NULL,
                process_id INTEGER NOT NULL,
                started_at TEXT NOT NULL,
                ended_at TEXT
            ) STRICT;

            CREATE TABLE specs (
                id TEXT NOT NULL PRIMARY KEY,
                session_id TEXT NOT NULL REFERENCES sessions (id),
                title TEXT NOT NULL,
                content TEXT NOT NULL,
                state TEXT NOT NULL,
                data TEXT NOT NULL,
                error TEXT,
                updated_at TEXT NOT NULL
            ) STRICT;

            CREATE TABLE stories (
                id TEXT NOT NULL,
                attempt INTEGER NOT NULL,
                session_id TEXT NOT NULL REFERENCES sessions (id),
                title TEXT NOT NULL,
                content TEXT NOT NULL,
                type TEXT NOT NULL,
                express INTEGER NOT NULL,
                state TEXT NOT NULL,
                agent_id TEXT,
                branch TEXT,
                merge_commit TEXT,
                error TEXT,
                data TEXT NOT NULL,
                updated_at TEXT NOT NULL,
                spec_id TEXT REFERENCES specs (id),
                depends_on TEXT NOT NULL DEFAULT '[]',
                position INTEGER NOT NULL DEFAULT 0,
                PRIMARY KEY (id, attempt)
            ) STRICT;
            CREATE INDEX stories_by_state ON stories (state);
            CREATE INDEX stories_by_spec ON stories (spec_id, position);

            CREATE TABLE state_transitions (
                seq INTEGER PRIMARY KEY,
                session_id TEXT NOT NULL REFERENCES sessions (id),
                story_id TEXT NOT NULL,
                attempt INTEGER NOT NULL,
                agent_id TEXT NOT NULL,
                from_state TEXT NOT NULL,
                to_state TEXT NOT NULL,
                reason TEXT NOT NULL,
                timestamp TEXT NOT NULL,
                FOREIGN KEY (story_id, attempt) REFERENCES stories (id, attempt)
            ) STRICT;
            CREATE INDEX state_transitions_by_story ON state_transitions (story_id, seq);

            CREATE TABLE spec_transitions (
                seq INTEGER PRIMARY KEY,
                session_id TEXT NOT NULL REFERENCES sessions (id),
                spec_id TEXT NOT NULL REFERENCES specs (id),
                agent_id TEXT NOT NULL,
                from_state TEXT NOT NULL,
                to_state TEXT NOT NULL,
                reason TEXT NOT NULL,
                timestamp TEXT NOT NULL
            ) STRICT;
            CREATE INDEX spec_transitions_by_spec ON spec_transitions (spec_id, seq);

            CREATE TABLE prompts (
                seq INTEGER PRIMARY KEY,
                state TEXT NOT NULL,
                content TEXT NOT NULL
            ) STRICT;
            CREATE INDEX prompts_by_state ON prompts (state, seq);

            CREATE TABLE messages (
                seq INTEGER PRIMARY KEY,
                session_id TEXT NOT NULL,
                story_id TEXT NOT NULL,
                attempt INTEGER NOT NULL,
                agent_id TEXT NOT NULL,
                state TEXT NOT NULL,
                step INTEGER NOT NULL DEFAULT 0,
                role TEXT NOT NULL,
                content TEXT NOT NULL,
                model TEXT,
                stop_reason TEXT,
                input_tokens INTEGER NOT NULL,
                output_tokens INTEGER NOT NULL,
                cache_read_tokens INTEGER NOT NULL DEFAULT 0,
                cache_write_tokens INTEGER NOT NULL DEFAULT 0,
                nanodollars INTEGER,
                timestamp TEXT NOT NULL
            ) STRICT;
            CREATE INDEX messages_by_story ON messages (story_id, seq);
            CREATE INDEX messages_by_cost ON messages (story_id, attempt, agent_id, state, model, input_tokens,
                output_tokens, cache_read_tokens, cache_write_tokens, nanodollars) WHERE model IS NOT NULL;
            CREATE INDEX messages_by_time ON messages (timestamp, agent_id, story_id, input_tokens, output_tokens,
                cache_read_tokens, cache_write_tokens, nanodollars) WHERE model IS NOT NULL;

            CREATE TABLE pruned_usage (
                seq INTEGER PRIMARY KEY,
                story_id TEXT NOT NULL,
                attempt INTEGER NOT NULL,
                agent_id TEXT NOT NULL,
                state TEXT NOT NULL,
                model TEXT NOT NULL,
                requests INTEGER NOT NULL,
                input_tokens INTEGER NOT NULL,
                output_tokens INTEGER NOT NULL,
                cache_read_tokens INTEGER NOT NULL,
                cache_write_tokens INTEGER NOT NULL,
                nanodollars INTEGER,
                timestamp TEXT NOT NULL
            ) STRICT;
            CREATE INDEX pruned_usage_by_story ON pruned_usage (story_id);
            CREATE INDEX pruned_usage_by_time ON pruned_usage (timestamp);

            CREATE TABLE tool_executions (
                seq INTEGER PRIMARY KEY,
                session_id TEXT NOT NULL,
                agent_id TEXT NOT NULL,
                story_id TEXT NOT NULL,
                attempt INTEGER NOT NULL,
                state TEXT NOT NULL,
                tool_name TEXT NOT NULL,
                call_id TEXT NOT NULL,
                parent_call_id TEXT,
                parameters TEXT NOT NULL,
                result TEXT,
                error TEXT,
                exit_code INTEGER,
                duration_ms INTEGER NOT NULL,
                timestamp TEXT NOT NULL
            ) STRICT;
            CREATE INDEX tool_executions_by_story ON tool_executions (story_id, seq);

            CREATE TABLE effects (
                seq INTEGER PRIMARY KEY,
                id TEXT NOT NULL UNIQUE,
                session_id TEXT NOT NULL REFERENCES sessions (id),
                story_id TEXT NOT NULL,
                attempt INTEGER NOT NULL,
                agent_id TEXT NOT NULL,
                kind TEXT NOT NULL,
                request TEXT NOT NULL,
                requested_at TEXT NOT NULL,
                reply TEXT,
                replied_at TEXT,
                FOREIGN KEY (story_id, attempt) REFERENCES stories (id, attempt)
            ) STRICT;
            CREATE INDEX effects_by_story ON effects (story_id, seq);
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

            CREATE TABLE cancellations (
                seq INTEGER PRIMARY KEY,
                story_id TEXT NOT NULL,
                name TEXT NOT NULL,
                attempt INTEGER NOT NULL,
                person TEXT NOT NULL,
                message TEXT NOT NULL,
                timestamp TEXT NOT NULL
            ) STRICT;
            CREATE INDEX cancellations_by_story ON cancellations (story_id, seq);

            CREATE TABLE open_cancellations (
                name TEXT NOT NULL PRIMARY KEY,
                story_id TEXT NOT NULL
            ) STRICT;

            CREATE TABLE connections (
                seq INTEGER PRIMARY KEY,
                session_id TEXT NOT NULL,
                agent_id TEXT NOT NULL,
                story_id TEXT,
                attempt INTEGER NOT NULL,
                target TEXT NOT NULL,
                address TEXT NOT NULL,
                sent_bytes INTEGER NOT NULL,
                received_bytes INTEGER NOT NULL,
                duration_ms INTEGER NOT NULL,
                refused TEXT NOT NULL,
                timestamp TEXT NOT NULL
            ) STRICT;
            CREATE INDEX connections_by_story ON connections (story_id, seq);

            CREATE TABLE todos (
                story_id TEXT NOT NULL,
                attempt INTEGER NOT NULL,
                todos TEXT NOT NULL,
                PRIMARY KEY (story_id, attempt),
                FOREIGN KEY (story_id, attempt) REFERENCES stories (id, attempt)
            ) STRICT;

            CREATE TABLE chat (
                number INTEGER PRIMARY KEY,
                session_id TEXT NOT NULL REFERENCES sessions (id),
                story_id TEXT,
                author TEXT NOT NULL,
                text TEXT NOT NULL,
                timestamp TEXT NOT NULL
            ) STRICT;

            CREATE TABLE leases (
                name TEXT NOT NULL PRIMARY KEY,
                session_id TEXT,
                expires_at INTEGER
            ) STRICT;
            CREATE INDEX leases_by_session ON leases (session_id);

            CREATE TABLE lease_holders (
                name TEXT NOT NULL,
                session_id TEXT NOT NULL,
                PRIMARY KEY (name, session_id)
            ) STRICT;

            CREATE TABLE merge_queue (
                story_id TEXT NOT NULL PRIMARY KEY,
                attempt INTEGER NOT NULL,
                target TEXT NOT NULL,
                place INTEGER NOT NULL,
                waits INTEGER NOT NULL
            ) STRICT;
            CREATE INDEX merge_queue_by_place ON merge_queue (target, place);

            CREATE TABLE spending (
                scope TEXT NOT NULL PRIMARY KEY,
                nanodollars INTEGER NOT NULL
            ) STRICT;

            CREATE TABLE open_requests (
                id TEXT NOT NULL PRIMARY KEY,
                session_id TEXT NOT NULL,
                owner TEXT NOT NULL,
                spec_id TEXT,
                day TEXT NOT NULL,
                attempt INTEGER NOT NULL,
                agent_id TEXT NOT NULL,
                state TEXT NOT NULL,
                model TEXT NOT NULL,
                nanodollars INTEGER NOT NULL
            ) STRICT;
            CREATE INDEX open_requests_by_owner ON open_requests (owner);

            CREATE TABLE pruning (
                id TEXT NOT NULL PRIMARY KEY
            ) STRICT;

            FINISHED pruning;
            KEEP ANSWERS;
            KEEP state_transitions BY OLD.story_id;
            KEEP spec_transitions BY OLD.spec_id;
            KEEP prompts;
            KEEP messages BY OLD.story_id;
            KEEP pruned_usage;
            KEEP tool_executions BY OLD.story_id;
            KEEP approvals BY OLD.story_id;
            KEEP cancellations BY OLD.story_id;
            KEEP connections BY coalesce(OLD.story_id, '');
            KEEP chat BY coalesce(OLD.story_id, '');
            """;

    private static final List<String> STATEMENTS =
            List.of((TABLES + QueryViews.SQL + "INSERT INTO maestro_schema (version) VALUES (" + VERSION + ");")
                    .strip()
                    .split(";\\s*"));

    private Tables() {}

    /** What makes the tables in an empty database. */
    static List<String> statements() {
        return STATEMENTS;
    }
}
