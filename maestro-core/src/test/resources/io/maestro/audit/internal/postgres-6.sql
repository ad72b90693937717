-- What Maestro made in an empty PostgreSQL schema when its tables had version 6; statements end with two semicolons.
CREATE TABLE maestro_schema (version BIGINT NOT NULL);;
CREATE TABLE sessions (
    seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id TEXT COLLATE "C" NOT NULL UNIQUE,
    repository TEXT COLLATE "C" NOT NULL,
    process_id BIGINT NOT NULL,
    started_at TEXT COLLATE "C" NOT NULL,
    ended_at TEXT COLLATE "C"
);;
CREATE TABLE stories (
    id TEXT COLLATE "C" NOT NULL,
    attempt BIGINT NOT NULL,
    session_id TEXT COLLATE "C" NOT NULL REFERENCES sessions (id),
    title TEXT COLLATE "C" NOT NULL,
    content TEXT COLLATE "C" NOT NULL,
    type TEXT COLLATE "C" NOT NULL,
    express BOOLEAN NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    agent_id TEXT COLLATE "C",
    branch TEXT COLLATE "C",
    merge_commit TEXT COLLATE "C",
    error TEXT COLLATE "C",
    data TEXT COLLATE "C" NOT NULL,
    updated_at TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (id, attempt)
);;
CREATE INDEX stories_by_state ON stories (state);;
CREATE TABLE state_transitions (
    seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session_id TEXT COLLATE "C" NOT NULL REFERENCES sessions (id),
    story_id TEXT COLLATE "C" NOT NULL,
    attempt BIGINT NOT NULL,
    agent_id TEXT COLLATE "C" NOT NULL,
    from_state TEXT COLLATE "C" NOT NULL,
    to_state TEXT COLLATE "C" NOT NULL,
    reason TEXT COLLATE "C" NOT NULL,
    timestamp TEXT COLLATE "C" NOT NULL,
    FOREIGN KEY (story_id, attempt) REFERENCES stories (id, attempt)
);;
CREATE INDEX state_transitions_by_story ON state_transitions (story_id, seq);;
CREATE TABLE messages (
    seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session_id TEXT COLLATE "C" NOT NULL,
    story_id TEXT COLLATE "C" NOT NULL,
    attempt BIGINT NOT NULL,
    agent_id TEXT COLLATE "C" NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    role TEXT COLLATE "C" NOT NULL,
    content TEXT COLLATE "C" NOT NULL,
    model TEXT COLLATE "C",
    input_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    timestamp TEXT COLLATE "C" NOT NULL
);;
CREATE INDEX messages_by_story ON messages (story_id, seq);;
CREATE TABLE tool_executions (
    seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session_id TEXT COLLATE "C" NOT NULL,
    agent_id TEXT COLLATE "C" NOT NULL,
    story_id TEXT COLLATE "C" NOT NULL,
    attempt BIGINT NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    tool_name TEXT COLLATE "C" NOT NULL,
    call_id TEXT COLLATE "C" NOT NULL,
    parameters TEXT COLLATE "C" NOT NULL,
    result TEXT COLLATE "C",
    error TEXT COLLATE "C",
    exit_code BIGINT,
    duration_ms BIGINT NOT NULL,
    timestamp TEXT COLLATE "C" NOT NULL
);;
CREATE INDEX tool_executions_by_story ON tool_executions (story_id, seq);;
CREATE INDEX tool_executions_by_tool ON tool_executions USING hash (tool_name);;
CREATE TABLE effects (
    seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id TEXT COLLATE "C" NOT NULL UNIQUE,
    session_id TEXT COLLATE "C" NOT NULL REFERENCES sessions (id),
    story_id TEXT COLLATE "C" NOT NULL,
    attempt BIGINT NOT NULL,
    agent_id TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    request TEXT COLLATE "C" NOT NULL,
    requested_at TEXT COLLATE "C" NOT NULL,
    reply TEXT COLLATE "C",
    replied_at TEXT COLLATE "C",
    FOREIGN KEY (story_id, attempt) REFERENCES stories (id, attempt)
);;
CREATE INDEX effects_by_story ON effects (story_id, seq);;
CREATE OR REPLACE FUNCTION maestro_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'restrict_violation';
END $$;;
CREATE TRIGGER state_transitions_no_update BEFORE UPDATE OR DELETE ON state_transitions FOR EACH ROW EXECUTE FUNCTION maestro_refuse('state_transitions is append-only');;
CREATE TRIGGER state_transitions_no_truncate BEFORE TRUNCATE ON state_transitions FOR EACH STATEMENT EXECUTE FUNCTION maestro_refuse('state_transitions is append-only');;
CREATE OR REPLACE FUNCTION maestro_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'restrict_violation';
END $$;;
CREATE TRIGGER messages_no_update BEFORE UPDATE OR DELETE ON messages FOR EACH ROW EXECUTE FUNCTION maestro_refuse('messages is append-only');;
CREATE TRIGGER messages_no_truncate BEFORE TRUNCATE ON messages FOR EACH STATEMENT EXECUTE FUNCTION maestro_refuse('messages is append-only');;
CREATE OR REPLACE FUNCTION maestro_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'restrict_violation';
END $$;;
CREATE TRIGGER tool_executions_no_update BEFORE UPDATE OR DELETE ON tool_executions FOR EACH ROW EXECUTE FUNCTION maestro_refuse('tool_executions is append-only');;
CREATE TRIGGER tool_executions_no_truncate BEFORE TRUNCATE ON tool_executions FOR EACH STATEMENT EXECUTE FUNCTION maestro_refuse('tool_executions is append-only');;
CREATE TRIGGER effects_no_update BEFORE UPDATE ON effects FOR EACH ROW WHEN (OLD.reply IS NOT NULL) EXECUTE FUNCTION maestro_refuse('an effect is answered once');;
CREATE TRIGGER effects_no_delete BEFORE DELETE ON effects FOR EACH ROW EXECUTE FUNCTION maestro_refuse('effects are kept');;
CREATE TRIGGER effects_no_truncate BEFORE TRUNCATE ON effects FOR EACH STATEMENT EXECUTE FUNCTION maestro_refuse('effects are kept');;
INSERT INTO maestro_schema (version) VALUES (1);;
CREATE TABLE specs (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    session_id TEXT COLLATE "C" NOT NULL REFERENCES sessions (id),
    title TEXT COLLATE "C" NOT NULL,
    content TEXT COLLATE "C" NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    data TEXT COLLATE "C" NOT NULL,
    error TEXT COLLATE "C",
    updated_at TEXT COLLATE "C" NOT NULL
);;
ALTER TABLE stories ADD COLUMN spec_id TEXT COLLATE "C" REFERENCES specs (id);;
ALTER TABLE stories ADD COLUMN depends_on TEXT COLLATE "C" NOT NULL DEFAULT '[]';;
ALTER TABLE stories ADD COLUMN position BIGINT NOT NULL DEFAULT 0;;
ALTER TABLE messages ADD COLUMN step BIGINT NOT NULL DEFAULT 0;;
ALTER TABLE messages ADD COLUMN cache_read_tokens BIGINT NOT NULL DEFAULT 0;;
ALTER TABLE messages ADD COLUMN cache_write_tokens BIGINT NOT NULL DEFAULT 0;;
CREATE INDEX stories_by_spec ON stories (spec_id, position);;
CREATE TABLE spec_transitions (
    seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session_id TEXT COLLATE "C" NOT NULL REFERENCES sessions (id),
    spec_id TEXT COLLATE "C" NOT NULL REFERENCES specs (id),
    agent_id TEXT COLLATE "C" NOT NULL,
    from_state TEXT COLLATE "C" NOT NULL,
    to_state TEXT COLLATE "C" NOT NULL,
    reason TEXT COLLATE "C" NOT NULL,
    timestamp TEXT COLLATE "C" NOT NULL
);;
CREATE INDEX spec_transitions_by_spec ON spec_transitions (spec_id, seq);;
CREATE TABLE todos (
    story_id TEXT COLLATE "C" NOT NULL,
    attempt BIGINT NOT NULL,
    todos TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (story_id, attempt),
    FOREIGN KEY (story_id, attempt) REFERENCES stories (id, attempt)
);;
CREATE TABLE chat (
    number BIGINT PRIMARY KEY,
    session_id TEXT COLLATE "C" NOT NULL REFERENCES sessions (id),
    story_id TEXT COLLATE "C",
    author TEXT COLLATE "C" NOT NULL,
    text TEXT COLLATE "C" NOT NULL,
    timestamp TEXT COLLATE "C" NOT NULL
);;
CREATE TABLE leases (
    name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    session_id TEXT COLLATE "C",
    expires_at BIGINT
);;
CREATE INDEX leases_by_session ON leases (session_id);;
CREATE TABLE lease_holders (
    name TEXT COLLATE "C" NOT NULL,
    session_id TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (name, session_id)
);;
CREATE OR REPLACE FUNCTION maestro_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'restrict_violation';
END $$;;
CREATE TRIGGER spec_transitions_no_update BEFORE UPDATE OR DELETE ON spec_transitions FOR EACH ROW EXECUTE FUNCTION maestro_refuse('spec_transitions is append-only');;
CREATE TRIGGER spec_transitions_no_truncate BEFORE TRUNCATE ON spec_transitions FOR EACH STATEMENT EXECUTE FUNCTION maestro_refuse('spec_transitions is append-only');;
CREATE OR REPLACE FUNCTION maestro_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'restrict_violation';
END $$;;
CREATE TRIGGER chat_no_update BEFORE UPDATE OR DELETE ON chat FOR EACH ROW EXECUTE FUNCTION maestro_refuse('chat is append-only');;
CREATE TRIGGER chat_no_truncate BEFORE TRUNCATE ON chat FOR EACH STATEMENT EXECUTE FUNCTION maestro_refuse('chat is append-only');;
ALTER TABLE messages ADD COLUMN stop_reason TEXT COLLATE "C";;
DROP INDEX tool_executions_by_tool;;
CREATE TABLE prompts (
    seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    state TEXT COLLATE "C" NOT NULL,
    content TEXT COLLATE "C" NOT NULL
);;
CREATE INDEX prompts_by_state ON prompts (state, seq);;
CREATE OR REPLACE FUNCTION maestro_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'restrict_violation';
END $$;;
CREATE TRIGGER prompts_no_update BEFORE UPDATE OR DELETE ON prompts FOR EACH ROW EXECUTE FUNCTION maestro_refuse('prompts is append-only');;
CREATE TRIGGER prompts_no_truncate BEFORE TRUNCATE ON prompts FOR EACH STATEMENT EXECUTE FUNCTION maestro_refuse('prompts is append-only');;
CREATE TABLE pruned_usage (
    seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    story_id TEXT COLLATE "C" NOT NULL,
    attempt BIGINT NOT NULL,
    model TEXT COLLATE "C" NOT NULL,
    input_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    cache_read_tokens BIGINT NOT NULL,
    cache_write_tokens BIGINT NOT NULL,
    timestamp TEXT COLLATE "C" NOT NULL
);;
CREATE INDEX pruned_usage_by_story ON pruned_usage (story_id);;
CREATE OR REPLACE FUNCTION maestro_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'restrict_violation';
END $$;;
CREATE TRIGGER pruned_usage_no_update BEFORE UPDATE OR DELETE ON pruned_usage FOR EACH ROW EXECUTE FUNCTION maestro_refuse('pruned_usage is append-only');;
CREATE TRIGGER pruned_usage_no_truncate BEFORE TRUNCATE ON pruned_usage FOR EACH STATEMENT EXECUTE FUNCTION maestro_refuse('pruned_usage is append-only');;
CREATE VIEW model_usage AS
    SELECT story_id, attempt, model, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens,
        timestamp FROM messages WHERE model IS NOT NULL
    UNION ALL
    SELECT story_id, attempt, model, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens,
        timestamp FROM pruned_usage;;
CREATE TABLE pruning (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY
);;
CREATE FUNCTION maestro_pruning_no_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM stories AS story WHERE id = NEW.id AND state NOT IN ('DONE', 'ERROR') AND attempt = (SELECT max(attempt) FROM stories WHERE id = story.id)) OR EXISTS (SELECT 1 FROM specs WHERE id = NEW.id AND state NOT IN ('DONE', 'ERROR')) THEN
        RAISE EXCEPTION 'what has not ended is kept' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;;
CREATE TRIGGER pruning_no_insert BEFORE INSERT ON pruning FOR EACH ROW EXECUTE FUNCTION maestro_pruning_no_insert();;
DROP TRIGGER messages_no_update ON messages;;
CREATE TRIGGER messages_no_update BEFORE UPDATE ON messages FOR EACH ROW EXECUTE FUNCTION maestro_refuse('messages is append-only');;
CREATE FUNCTION maestro_messages_no_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.story_id NOT IN (SELECT id FROM pruning) THEN
        RAISE EXCEPTION 'messages is append-only' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN OLD;
END $$;;
CREATE TRIGGER messages_no_delete BEFORE DELETE ON messages FOR EACH ROW EXECUTE FUNCTION maestro_messages_no_delete();;
DROP TRIGGER tool_executions_no_update ON tool_executions;;
CREATE TRIGGER tool_executions_no_update BEFORE UPDATE ON tool_executions FOR EACH ROW EXECUTE FUNCTION maestro_refuse('tool_executions is append-only');;
CREATE FUNCTION maestro_tool_executions_no_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.story_id NOT IN (SELECT id FROM pruning) THEN
        RAISE EXCEPTION 'tool_executions is append-only' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN OLD;
END $$;;
CREATE TRIGGER tool_executions_no_delete BEFORE DELETE ON tool_executions FOR EACH ROW EXECUTE FUNCTION maestro_tool_executions_no_delete();;
DROP TRIGGER effects_no_delete ON effects;;
CREATE FUNCTION maestro_effects_no_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.story_id NOT IN (SELECT id FROM pruning) THEN
        RAISE EXCEPTION 'effects is append-only' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN OLD;
END $$;;
CREATE TRIGGER effects_no_delete BEFORE DELETE ON effects FOR EACH ROW EXECUTE FUNCTION maestro_effects_no_delete();;
DROP TRIGGER state_transitions_no_update ON state_transitions;;
CREATE TRIGGER state_transitions_no_update BEFORE UPDATE ON state_transitions FOR EACH ROW EXECUTE FUNCTION maestro_refuse('state_transitions is append-only');;
CREATE FUNCTION maestro_state_transitions_no_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.story_id NOT IN (SELECT id FROM pruning) THEN
        RAISE EXCEPTION 'state_transitions is append-only' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN OLD;
END $$;;
CREATE TRIGGER state_transitions_no_delete BEFORE DELETE ON state_transitions FOR EACH ROW EXECUTE FUNCTION maestro_state_transitions_no_delete();;
DROP TRIGGER spec_transitions_no_update ON spec_transitions;;
CREATE TRIGGER spec_transitions_no_update BEFORE UPDATE ON spec_transitions FOR EACH ROW EXECUTE FUNCTION maestro_refuse('spec_transitions is append-only');;
CREATE FUNCTION maestro_spec_transitions_no_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.spec_id NOT IN (SELECT id FROM pruning) THEN
        RAISE EXCEPTION 'spec_transitions is append-only' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN OLD;
END $$;;
CREATE TRIGGER spec_transitions_no_delete BEFORE DELETE ON spec_transitions FOR EACH ROW EXECUTE FUNCTION maestro_spec_transitions_no_delete();;
DROP TRIGGER chat_no_update ON chat;;
CREATE TRIGGER chat_no_update BEFORE UPDATE ON chat FOR EACH ROW EXECUTE FUNCTION maestro_refuse('chat is append-only');;
CREATE FUNCTION maestro_chat_no_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF coalesce(OLD.story_id, '') NOT IN (SELECT id FROM pruning) THEN
        RAISE EXCEPTION 'chat is append-only' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN OLD;
END $$;;
CREATE TRIGGER chat_no_delete BEFORE DELETE ON chat FOR EACH ROW EXECUTE FUNCTION maestro_chat_no_delete();;
ALTER TABLE messages ADD COLUMN nanodollars BIGINT;;
CREATE INDEX messages_by_cost ON messages (story_id) WHERE model IS NOT NULL;;
CREATE TABLE spending (
    scope TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    nanodollars BIGINT NOT NULL
);;
CREATE TABLE open_requests (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    session_id TEXT COLLATE "C" NOT NULL,
    owner TEXT COLLATE "C" NOT NULL,
    spec_id TEXT COLLATE "C",
    day TEXT COLLATE "C" NOT NULL,
    attempt BIGINT NOT NULL,
    agent_id TEXT COLLATE "C" NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    model TEXT COLLATE "C" NOT NULL,
    nanodollars BIGINT NOT NULL
);;
CREATE INDEX open_requests_by_owner ON open_requests (owner);;
DROP VIEW model_usage;;
ALTER TABLE pruned_usage ADD COLUMN agent_id TEXT COLLATE "C" NOT NULL DEFAULT '';;
ALTER TABLE pruned_usage ADD COLUMN state TEXT COLLATE "C" NOT NULL DEFAULT '';;
ALTER TABLE pruned_usage ADD COLUMN requests BIGINT NOT NULL DEFAULT 1;;
ALTER TABLE pruned_usage ADD COLUMN nanodollars BIGINT;;
CREATE VIEW model_usage AS
    SELECT story_id, attempt, agent_id, state, model, 1 AS requests, input_tokens, output_tokens,
        cache_read_tokens, cache_write_tokens, nanodollars FROM messages WHERE model IS NOT NULL
    UNION ALL
    SELECT story_id, attempt, agent_id, state, model, requests, input_tokens, output_tokens,
        cache_read_tokens, cache_write_tokens, nanodollars FROM pruned_usage;;
CREATE TABLE connections (
    seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session_id TEXT COLLATE "C" NOT NULL,
    agent_id TEXT COLLATE "C" NOT NULL,
    story_id TEXT COLLATE "C",
    attempt BIGINT NOT NULL,
    target TEXT COLLATE "C" NOT NULL,
    address TEXT COLLATE "C" NOT NULL,
    sent_bytes BIGINT NOT NULL,
    received_bytes BIGINT NOT NULL,
    duration_ms BIGINT NOT NULL,
    refused TEXT COLLATE "C" NOT NULL,
    timestamp TEXT COLLATE "C" NOT NULL
);;
CREATE INDEX connections_by_story ON connections (story_id, seq);;
CREATE OR REPLACE FUNCTION maestro_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'restrict_violation';
END $$;;
CREATE TRIGGER connections_no_update BEFORE UPDATE OR DELETE ON connections FOR EACH ROW EXECUTE FUNCTION maestro_refuse('connections is append-only');;
CREATE TRIGGER connections_no_truncate BEFORE TRUNCATE ON connections FOR EACH STATEMENT EXECUTE FUNCTION maestro_refuse('connections is append-only');;
DROP TRIGGER connections_no_update ON connections;;
CREATE TRIGGER connections_no_update BEFORE UPDATE ON connections FOR EACH ROW EXECUTE FUNCTION maestro_refuse('connections is append-only');;
CREATE FUNCTION maestro_connections_no_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF coalesce(OLD.story_id, '') NOT IN (SELECT id FROM pruning) THEN
        RAISE EXCEPTION 'connections is append-only' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN OLD;
END $$;;
CREATE TRIGGER connections_no_delete BEFORE DELETE ON connections FOR EACH ROW EXECUTE FUNCTION maestro_connections_no_delete();;
CREATE INDEX tool_executions_by_time ON tool_executions (timestamp, seq);;
CREATE INDEX tool_executions_by_duration ON tool_executions (duration_ms, seq);;
CREATE INDEX tool_executions_by_agent ON tool_executions (agent_id, timestamp, seq);;
CREATE INDEX tool_executions_by_tool ON tool_executions (substr(tool_name, 1, 100), timestamp, seq);;
CREATE INDEX tool_executions_by_state ON tool_executions (substr(state, 1, 100), timestamp, seq);;
CREATE INDEX tool_executions_failed ON tool_executions (timestamp, seq) WHERE (error IS NOT NULL OR exit_code <> 0);;
CREATE INDEX messages_by_time ON messages (timestamp) WHERE model IS NOT NULL;;
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
