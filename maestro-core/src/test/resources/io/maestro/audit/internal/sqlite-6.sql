-- What Maestro made in SQLite when its tables had version 6; statements end with two semicolons.
CREATE TABLE maestro_schema (version INTEGER NOT NULL) STRICT;;
CREATE TABLE sessions (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    repository TEXT NOT NULL,
    process_id INTEGER NOT NULL,
    started_at TEXT NOT NULL,
    ended_at TEXT
) STRICT;;
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
) STRICT;;
CREATE INDEX stories_by_state ON stories (state);;
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
) STRICT;;
CREATE INDEX state_transitions_by_story ON state_transitions (story_id, seq);;
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
) STRICT;;
CREATE INDEX messages_by_story ON messages (story_id, seq);;
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
) STRICT;;
CREATE INDEX tool_executions_by_story ON tool_executions (story_id, seq);;
CREATE INDEX tool_executions_by_tool ON tool_executions (tool_name, seq);;
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
) STRICT;;
CREATE INDEX effects_by_story ON effects (story_id, seq);;
CREATE TRIGGER state_transitions_no_update BEFORE update ON state_transitions  BEGIN SELECT RAISE(ABORT, 'state_transitions is append-only'); END;;
CREATE TRIGGER state_transitions_no_delete BEFORE delete ON state_transitions  BEGIN SELECT RAISE(ABORT, 'state_transitions is append-only'); END;;
CREATE TRIGGER messages_no_update BEFORE update ON messages  BEGIN SELECT RAISE(ABORT, 'messages is append-only'); END;;
CREATE TRIGGER messages_no_delete BEFORE delete ON messages  BEGIN SELECT RAISE(ABORT, 'messages is append-only'); END;;
CREATE TRIGGER tool_executions_no_update BEFORE update ON tool_executions  BEGIN SELECT RAISE(ABORT, 'tool_executions is append-only'); END;;
CREATE TRIGGER tool_executions_no_delete BEFORE delete ON tool_executions  BEGIN SELECT RAISE(ABORT, 'tool_executions is append-only'); END;;
CREATE TRIGGER effects_no_update BEFORE update ON effects WHEN OLD.reply IS NOT NULL BEGIN SELECT RAISE(ABORT, 'an effect is answered once'); END;;
CREATE TRIGGER effects_no_delete BEFORE delete ON effects  BEGIN SELECT RAISE(ABORT, 'effects are kept'); END;;
INSERT INTO maestro_schema (version) VALUES (1);;
CREATE TABLE specs (
    id TEXT NOT NULL PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id),
    title TEXT NOT NULL,
    content TEXT NOT NULL,
    state TEXT NOT NULL,
    data TEXT NOT NULL,
    error TEXT,
    updated_at TEXT NOT NULL
) STRICT;;
ALTER TABLE stories ADD COLUMN spec_id TEXT REFERENCES specs (id);;
ALTER TABLE stories ADD COLUMN depends_on TEXT NOT NULL DEFAULT '[]';;
ALTER TABLE stories ADD COLUMN position INTEGER NOT NULL DEFAULT 0;;
ALTER TABLE messages ADD COLUMN step INTEGER NOT NULL DEFAULT 0;;
ALTER TABLE messages ADD COLUMN cache_read_tokens INTEGER NOT NULL DEFAULT 0;;
ALTER TABLE messages ADD COLUMN cache_write_tokens INTEGER NOT NULL DEFAULT 0;;
CREATE INDEX stories_by_spec ON stories (spec_id, position);;
CREATE TABLE spec_transitions (
    seq INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id),
    spec_id TEXT NOT NULL REFERENCES specs (id),
    agent_id TEXT NOT NULL,
    from_state TEXT NOT NULL,
    to_state TEXT NOT NULL,
    reason TEXT NOT NULL,
    timestamp TEXT NOT NULL
) STRICT;;
CREATE INDEX spec_transitions_by_spec ON spec_transitions (spec_id, seq);;
CREATE TABLE todos (
    story_id TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    todos TEXT NOT NULL,
    PRIMARY KEY (story_id, attempt),
    FOREIGN KEY (story_id, attempt) REFERENCES stories (id, attempt)
) STRICT;;
CREATE TABLE chat (
    number INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id),
    story_id TEXT,
    author TEXT NOT NULL,
    text TEXT NOT NULL,
    timestamp TEXT NOT NULL
) STRICT;;
CREATE TABLE leases (
    name TEXT NOT NULL PRIMARY KEY,
    session_id TEXT,
    expires_at INTEGER
) STRICT;;
CREATE INDEX leases_by_session ON leases (session_id);;
CREATE TABLE lease_holders (
    name TEXT NOT NULL,
    session_id TEXT NOT NULL,
    PRIMARY KEY (name, session_id)
) STRICT;;
CREATE TRIGGER spec_transitions_no_update BEFORE update ON spec_transitions  BEGIN SELECT RAISE(ABORT, 'spec_transitions is append-only'); END;;
CREATE TRIGGER spec_transitions_no_delete BEFORE delete ON spec_transitions  BEGIN SELECT RAISE(ABORT, 'spec_transitions is append-only'); END;;
CREATE TRIGGER chat_no_update BEFORE update ON chat  BEGIN SELECT RAISE(ABORT, 'chat is append-only'); END;;
CREATE TRIGGER chat_no_delete BEFORE delete ON chat  BEGIN SELECT RAISE(ABORT, 'chat is append-only'); END;;
ALTER TABLE messages ADD COLUMN stop_reason TEXT;;
DROP INDEX tool_executions_by_tool;;
CREATE TABLE prompts (
    seq INTEGER PRIMARY KEY,
    state TEXT NOT NULL,
    content TEXT NOT NULL
) STRICT;;
CREATE INDEX prompts_by_state ON prompts (state, seq);;
CREATE TRIGGER prompts_no_update BEFORE update ON prompts  BEGIN SELECT RAISE(ABORT, 'prompts is append-only'); END;;
CREATE TRIGGER prompts_no_delete BEFORE delete ON prompts  BEGIN SELECT RAISE(ABORT, 'prompts is append-only'); END;;
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
) STRICT;;
CREATE INDEX pruned_usage_by_story ON pruned_usage (story_id);;
CREATE TRIGGER pruned_usage_no_update BEFORE update ON pruned_usage  BEGIN SELECT RAISE(ABORT, 'pruned_usage is append-only'); END;;
CREATE TRIGGER pruned_usage_no_delete BEFORE delete ON pruned_usage  BEGIN SELECT RAISE(ABORT, 'pruned_usage is append-only'); END;;
CREATE VIEW model_usage AS
    SELECT story_id, attempt, model, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens,
        timestamp FROM messages WHERE model IS NOT NULL
    UNION ALL
    SELECT story_id, attempt, model, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens,
        timestamp FROM pruned_usage;;
CREATE TABLE pruning (
    id TEXT NOT NULL PRIMARY KEY
) STRICT;;
CREATE TRIGGER pruning_no_insert BEFORE insert ON pruning WHEN EXISTS (SELECT 1 FROM stories AS story WHERE id = NEW.id AND state NOT IN ('DONE', 'ERROR') AND attempt = (SELECT max(attempt) FROM stories WHERE id = story.id)) OR EXISTS (SELECT 1 FROM specs WHERE id = NEW.id AND state NOT IN ('DONE', 'ERROR')) BEGIN SELECT RAISE(ABORT, 'what has not ended is kept'); END;;
DROP TRIGGER messages_no_delete;;
CREATE TRIGGER messages_no_delete BEFORE delete ON messages WHEN OLD.story_id NOT IN (SELECT id FROM pruning) BEGIN SELECT RAISE(ABORT, 'messages is append-only'); END;;
DROP TRIGGER tool_executions_no_delete;;
CREATE TRIGGER tool_executions_no_delete BEFORE delete ON tool_executions WHEN OLD.story_id NOT IN (SELECT id FROM pruning) BEGIN SELECT RAISE(ABORT, 'tool_executions is append-only'); END;;
DROP TRIGGER effects_no_delete;;
CREATE TRIGGER effects_no_delete BEFORE delete ON effects WHEN OLD.story_id NOT IN (SELECT id FROM pruning) BEGIN SELECT RAISE(ABORT, 'effects is append-only'); END;;
DROP TRIGGER state_transitions_no_delete;;
CREATE TRIGGER state_transitions_no_delete BEFORE delete ON state_transitions WHEN OLD.story_id NOT IN (SELECT id FROM pruning) BEGIN SELECT RAISE(ABORT, 'state_transitions is append-only'); END;;
DROP TRIGGER spec_transitions_no_delete;;
CREATE TRIGGER spec_transitions_no_delete BEFORE delete ON spec_transitions WHEN OLD.spec_id NOT IN (SELECT id FROM pruning) BEGIN SELECT RAISE(ABORT, 'spec_transitions is append-only'); END;;
DROP TRIGGER chat_no_delete;;
CREATE TRIGGER chat_no_delete BEFORE delete ON chat WHEN coalesce(OLD.story_id, '') NOT IN (SELECT id FROM pruning) BEGIN SELECT RAISE(ABORT, 'chat is append-only'); END;;
ALTER TABLE messages ADD COLUMN nanodollars INTEGER;;
CREATE INDEX messages_by_cost ON messages (story_id, attempt, agent_id, state, model, input_tokens,
    output_tokens, cache_read_tokens, cache_write_tokens, nanodollars) WHERE model IS NOT NULL;;
CREATE TABLE spending (
    scope TEXT NOT NULL PRIMARY KEY,
    nanodollars INTEGER NOT NULL
) STRICT;;
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
) STRICT;;
CREATE INDEX open_requests_by_owner ON open_requests (owner);;
DROP VIEW model_usage;;
ALTER TABLE pruned_usage ADD COLUMN agent_id TEXT NOT NULL DEFAULT '';;
ALTER TABLE pruned_usage ADD COLUMN state TEXT NOT NULL DEFAULT '';;
ALTER TABLE pruned_usage ADD COLUMN requests INTEGER NOT NULL DEFAULT 1;;
ALTER TABLE pruned_usage ADD COLUMN nanodollars INTEGER;;
CREATE VIEW model_usage AS
    SELECT story_id, attempt, agent_id, state, model, 1 AS requests, input_tokens, output_tokens,
        cache_read_tokens, cache_write_tokens, nanodollars FROM messages WHERE model IS NOT NULL
    UNION ALL
    SELECT story_id, attempt, agent_id, state, model, requests, input_tokens, output_tokens,
        cache_read_tokens, cache_write_tokens, nanodollars FROM pruned_usage;;
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
) STRICT;;
CREATE INDEX connections_by_story ON connections (story_id, seq);;
CREATE TRIGGER connections_no_update BEFORE update ON connections  BEGIN SELECT RAISE(ABORT, 'connections is append-only'); END;;
CREATE TRIGGER connections_no_delete BEFORE delete ON connections  BEGIN SELECT RAISE(ABORT, 'connections is append-only'); END;;
DROP TRIGGER connections_no_delete;;
CREATE TRIGGER connections_no_delete BEFORE delete ON connections WHEN coalesce(OLD.story_id, '') NOT IN (SELECT id FROM pruning) BEGIN SELECT RAISE(ABORT, 'connections is append-only'); END;;
CREATE INDEX tool_executions_by_time ON tool_executions (timestamp, seq);;
CREATE INDEX tool_executions_by_duration ON tool_executions (duration_ms, seq);;
CREATE INDEX tool_executions_by_agent ON tool_executions (agent_id, timestamp, seq);;
CREATE INDEX tool_executions_by_tool ON tool_executions (substr(tool_name, 1, 100), timestamp, seq);;
CREATE INDEX tool_executions_by_state ON tool_executions (substr(state, 1, 100), timestamp, seq);;
CREATE INDEX tool_executions_failed ON tool_executions (timestamp, seq) WHERE (error IS NOT NULL OR exit_code <> 0);;
CREATE INDEX messages_by_time ON messages (timestamp, agent_id, story_id, input_tokens, output_tokens,
    cache_read_tokens, cache_write_tokens, nanodollars) WHERE model IS NOT NULL;;
CREATE INDEX pruned_usage_by_time ON pruned_usage (timestamp);;
CREATE VIEW timed_usage AS
    SELECT story_id, attempt, agent_id, state, model, 1 AS requests, input_tokens, output_tokens,
        cache_read_tokens, cache_write_tokens, nanodollars, timestamp FROM messages WHERE model IS NOT NULL
    UNION ALL
    SELECT story_id, attempt, agent_id, state, model, requests, input_tokens, output_tokens,
        cache_read_tokens, cache_write_tokens, nanodollars, timestamp FROM pruned_usage;;
CREATE VIEW recent_calls AS SELECT seq, timestamp, story_id, attempt, agent_id, state, tool_name, call_id,
    CASE WHEN (error IS NOT NULL OR exit_code <> 0) THEN 'failed' ELSE 'succeeded' END AS outcome,
    exit_code, duration_ms, parameters, result, error, session_id
FROM tool_executions ORDER BY timestamp DESC, seq DESC;;
CREATE VIEW failed_calls AS SELECT seq, timestamp, story_id, attempt, agent_id, state, tool_name, call_id,
    CASE WHEN (error IS NOT NULL OR exit_code <> 0) THEN 'failed' ELSE 'succeeded' END AS outcome,
    exit_code, duration_ms, parameters, result, error, session_id
FROM tool_executions WHERE (error IS NOT NULL OR exit_code <> 0) ORDER BY timestamp DESC, seq DESC;;
CREATE VIEW slowest_calls AS SELECT seq, timestamp, story_id, attempt, agent_id, state, tool_name, call_id,
    CASE WHEN (error IS NOT NULL OR exit_code <> 0) THEN 'failed' ELSE 'succeeded' END AS outcome,
    exit_code, duration_ms, parameters, result, error, session_id
FROM tool_executions ORDER BY duration_ms DESC, seq DESC;;
CREATE VIEW cost_by_agent AS SELECT agent_id, sum(requests) AS requests,
    sum(CASE WHEN nanodollars IS NULL THEN requests ELSE 0 END) AS unpriced_requests,
    sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens,
    sum(cache_read_tokens) AS cache_read_tokens, sum(cache_write_tokens) AS cache_write_tokens,
    round(coalesce(sum(nanodollars), 0) / 1000000000.0, 6) AS dollars
FROM timed_usage GROUP BY agent_id;;
CREATE VIEW cost_by_story AS SELECT story_id, sum(requests) AS requests,
    sum(CASE WHEN nanodollars IS NULL THEN requests ELSE 0 END) AS unpriced_requests,
    sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens,
    sum(cache_read_tokens) AS cache_read_tokens, sum(cache_write_tokens) AS cache_write_tokens,
    round(coalesce(sum(nanodollars), 0) / 1000000000.0, 6) AS dollars
FROM timed_usage GROUP BY story_id;;
CREATE VIEW cost_by_day AS SELECT substr(timestamp, 1, 10) AS day, sum(requests) AS requests,
    sum(CASE WHEN nanodollars IS NULL THEN requests ELSE 0 END) AS unpriced_requests,
    sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens,
    sum(cache_read_tokens) AS cache_read_tokens, sum(cache_write_tokens) AS cache_write_tokens,
    round(coalesce(sum(nanodollars), 0) / 1000000000.0, 6) AS dollars
FROM timed_usage GROUP BY substr(timestamp, 1, 10);;
CREATE VIEW latest_stories AS
    SELECT id AS story_id, attempt, state, title, agent_id, branch, merge_commit, error, spec_id, updated_at,
        (SELECT round(coalesce(sum(nanodollars), 0) / 1000000000.0, 6) FROM model_usage
            WHERE story_id = story.id) AS dollars
    FROM stories AS story WHERE attempt = (SELECT max(attempt) FROM stories WHERE id = story.id)
    ORDER BY updated_at DESC;;
UPDATE maestro_schema SET version = 6;;
