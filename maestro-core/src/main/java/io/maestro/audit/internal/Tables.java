package io.maestro.audit.internal;

import java.util.List;

/**
 * The tables of the record, step by step: an empty database takes all steps, an older one those that it lacks. A step that
 * was released is never changed.
 *
 * <p>The SQL is SQLite's; {@link PostgresSchema} translates it. Beside SQL there are:
 *
 * <ul>
 *   <li>{@code KEEP table}: rows of the table are never changed and never deleted.
 *   <li>{@code KEEP ANSWERS}: rows of {@code effects} are changed once, by their reply, and never deleted.
 *   <li>{@code FINISHED pruning}: no row of it names a story or a specification that has not ended.
 *   <li>{@code PRUNE table BY key}: rows whose key stands in {@code pruning} may be deleted, too. It is empty but in a
 *       transaction that prunes.
 * </ul>
 *
 * <p>Messages and tool executions refer to sessions and stories without a foreign key, on purpose: a row about a story
 * that nobody announced is worth more than its absence.
 */
final class Tables {
    private static final String STEP_1 = """
            CREATE TABLE maestro_schema (version INTEGER NOT NULL) STRICT;

            CREATE TABLE sessions (
                seq INTEGER PRIMARY KEY,
                id TEXT NOT NULL UNIQUE,
                repository TEXT NOT NULL,
                process_id INTEGER NOT NULL,
                started_at TEXT NOT NULL,
                ended_at TEXT
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
                PRIMARY KEY (id, attempt)
            ) STRICT;
            CREATE INDEX stories_by_state ON stories (state);

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

            CREATE TABLE messages (
                seq INTEGER PRIMARY KEY,
                session_id TEXT NOT NULL,
                story_id TEXT NOT NULL,
                attempt INTEGER NOT NULL,
                agent_id TEXT NOT NULL,
                state TEXT NOT NULL,
                role TEXT NOT NULL,
                content TEXT NOT NULL,
                model TEXT,
                input_tokens INTEGER NOT NULL,
                output_tokens INTEGER NOT NULL,
                timestamp TEXT NOT NULL
            ) STRICT;
            CREATE INDEX messages_by_story ON messages (story_id, seq);

            CREATE TABLE tool_executions (
                seq INTEGER PRIMARY KEY,
                session_id TEXT NOT NULL,
                agent_id TEXT NOT NULL,
                story_id TEXT NOT NULL,
                attempt INTEGER NOT NULL,
                state TEXT NOT NULL,
                tool_name TEXT NOT NULL,
                call_id TEXT NOT NULL,
                parameters TEXT NOT NULL,
                result TEXT,
                error TEXT,
                exit_code INTEGER,
                duration_ms INTEGER NOT NULL,
                timestamp TEXT NOT NULL
            ) STRICT;
            CREATE INDEX tool_executions_by_story ON tool_executions (story_id, seq);
            CREATE INDEX tool_executions_by_tool ON tool_executions (tool_name, seq);

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

            KEEP state_transitions;
            KEEP messages;
            KEEP tool_executions;
            KEEP ANSWERS;
            INSERT INTO maestro_schema (version) VALUES (1);
            """;

    private static final String STEP_2 = """
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

            ALTER TABLE stories ADD COLUMN spec_id TEXT REFERENCES specs (id);
            ALTER TABLE stories ADD COLUMN depends_on TEXT NOT NULL DEFAULT '[]';
            ALTER TABLE stories ADD COLUMN position INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE messages ADD COLUMN step INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE messages ADD COLUMN cache_read_tokens INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE messages ADD COLUMN cache_write_tokens INTEGER NOT NULL DEFAULT 0;
                        CREATE INDEX stories_by_spec ON stories (spec_id, position);

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

            KEEP spec_transitions;
            KEEP chat;
            """;

    static final String NOT_ENDED = "what has not ended is kept";

    /** What {@code FINISHED} refuses. */
    static final String UNFINISHED =
            "EXISTS (SELECT 1 FROM stories AS story WHERE id = NEW.id AND state NOT IN ('DONE',"
                    + " 'ERROR') AND attempt = (SELECT max(attempt) FROM stories WHERE id = story.id))"
                    + " OR EXISTS (SELECT 1 FROM specs WHERE id = NEW.id AND state NOT IN ('DONE', 'ERROR'))";

    /** Not released yet. */
    private static final String STEP_3 = """
            ALTER TABLE messages ADD COLUMN stop_reason TEXT;

            DROP INDEX tool_executions_by_tool;

            CREATE TABLE prompts (
                seq INTEGER PRIMARY KEY,
                state TEXT NOT NULL,
                content TEXT NOT NULL
            ) STRICT;
            CREATE INDEX prompts_by_state ON prompts (state, seq);
            KEEP prompts;

            CREATE TABLE pruned_usage (
                seq INTEGER PRIMARY KEY,
                story_id TEXT NOT NULL,
                attempt INTEGER NOT NULL,
                model TEXT NOT NULL,
                input_tokens INTEGER NOT NULL,
                output_tokens INTEGER NOT NULL,
                cache_read_tokens INTEGER NOT NULL,
                cache_write_tokens INTEGER NOT NULL,
                timestamp TEXT NOT NULL
            ) STRICT;
            CREATE INDEX pruned_usage_by_story ON pruned_usage (story_id);
            KEEP pruned_usage;

            CREATE VIEW model_usage AS
                SELECT story_id, attempt, model, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens,
                    timestamp FROM messages WHERE model IS NOT NULL
                UNION ALL
                SELECT story_id, attempt, model, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens,
                    timestamp FROM pruned_usage;

            CREATE TABLE pruning (
                id TEXT NOT NULL PRIMARY KEY
            ) STRICT;
            FINISHED pruning;
            PRUNE messages BY OLD.story_id;
            PRUNE tool_executions BY OLD.story_id;
            PRUNE effects BY OLD.story_id;
            PRUNE state_transitions BY OLD.story_id;
            PRUNE spec_transitions BY OLD.spec_id;
            PRUNE chat BY coalesce(OLD.story_id, '');
            """;

    /** What requests to models have cost; see {@link SpendingRows}. Not released yet. */
    private static final String STEP_4 = """
            ALTER TABLE messages ADD COLUMN nanodollars INTEGER;
            CREATE INDEX messages_by_cost ON messages (story_id, attempt, agent_id, state, model, input_tokens,
                output_tokens, cache_read_tokens, cache_write_tokens, nanodollars) WHERE model IS NOT NULL;

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

            DROP VIEW model_usage;
            ALTER TABLE pruned_usage ADD COLUMN agent_id TEXT NOT NULL DEFAULT '';
            ALTER TABLE pruned_usage ADD COLUMN state TEXT NOT NULL DEFAULT '';
            ALTER TABLE pruned_usage ADD COLUMN requests INTEGER NOT NULL DEFAULT 1;
            ALTER TABLE pruned_usage ADD COLUMN nanodollars INTEGER;
            CREATE VIEW model_usage AS
                SELECT story_id, attempt, agent_id, state, model, 1 AS requests, input_tokens, output_tokens,
                    cache_read_tokens, cache_write_tokens, nanodollars FROM messages WHERE model IS NOT NULL
                UNION ALL
                SELECT story_id, attempt, agent_id, state, model, requests, input_tokens, output_tokens,
                    cache_read_tokens, cache_write_tokens, nanodollars FROM pruned_usage;
            """;

    /** What containers have reached. Not released yet. */
    private static final String STEP_5 = """
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
            KEEP connections;
            PRUNE connections BY coalesce(OLD.story_id, '');
            """;

    /** The step at index n makes version n + 1 of version n. */
    private static final List<String> STEPS = List.of(
            STEP_1,
            STEP_2,
            STEP_3,
            STEP_4,
            STEP_5,
            QueryViews.STEP,
            QueryViews.PARENTS,
            RequestRows.STEP,
            CancellationRows.STEP);

    /** The version that this Maestro reads and writes. */
    static final int VERSION = STEPS.size();

    private Tables() {}

    /** The statements that make the current version of an older one; 0 is an empty database. */
    static List<String> steps(int from) {
        String all = String.join("\n", STEPS.subList(from, VERSION)) + "UPDATE maestro_schema SET version = " + VERSION
                + ";";
        return List.of(all.strip().split(";\\s*"));
    }
}
