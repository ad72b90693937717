-- What Maestro made in an empty PostgreSQL schema when its tables had version 2; statements end with two semicolons.
CREATE TABLE maestro_schema (version BIGINT NOT NULL);;
CREATE TABLE sessions (
    seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id TEXT COLLATE "C" NOT NULL UNIQUE,
    repository TEXT COLLATE "C" NOT NULL,
    process_id BIGINT NOT NULL,
    started_at TEXT COLLATE "C" NOT NULL,
    ended_at TEXT COLLATE "C"
);;
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
    spec_id TEXT COLLATE "C" REFERENCES specs (id),
    depends_on TEXT COLLATE "C" NOT NULL DEFAULT '[]',
    position BIGINT NOT NULL DEFAULT 0,
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
    timestamp TEXT COLLATE "C" NOT NULL,
    step BIGINT NOT NULL DEFAULT 0,
    cache_read_tokens BIGINT NOT NULL DEFAULT 0,
    cache_write_tokens BIGINT NOT NULL DEFAULT 0
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
CREATE FUNCTION maestro_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'restrict_violation';
END $$;;
CREATE TRIGGER state_transitions_no_update BEFORE UPDATE OR DELETE ON state_transitions FOR EACH ROW EXECUTE FUNCTION maestro_refuse('state_transitions is append-only');;
CREATE TRIGGER state_transitions_no_truncate BEFORE TRUNCATE ON state_transitions FOR EACH STATEMENT EXECUTE FUNCTION maestro_refuse('state_transitions is append-only');;
CREATE TRIGGER messages_no_update BEFORE UPDATE OR DELETE ON messages FOR EACH ROW EXECUTE FUNCTION maestro_refuse('messages is append-only');;
CREATE TRIGGER messages_no_truncate BEFORE TRUNCATE ON messages FOR EACH STATEMENT EXECUTE FUNCTION maestro_refuse('messages is append-only');;
CREATE TRIGGER tool_executions_no_update BEFORE UPDATE OR DELETE ON tool_executions FOR EACH ROW EXECUTE FUNCTION maestro_refuse('tool_executions is append-only');;
CREATE TRIGGER tool_executions_no_truncate BEFORE TRUNCATE ON tool_executions FOR EACH STATEMENT EXECUTE FUNCTION maestro_refuse('tool_executions is append-only');;
CREATE TRIGGER spec_transitions_no_update BEFORE UPDATE OR DELETE ON spec_transitions FOR EACH ROW EXECUTE FUNCTION maestro_refuse('spec_transitions is append-only');;
CREATE TRIGGER spec_transitions_no_truncate BEFORE TRUNCATE ON spec_transitions FOR EACH STATEMENT EXECUTE FUNCTION maestro_refuse('spec_transitions is append-only');;
CREATE TRIGGER chat_no_update BEFORE UPDATE OR DELETE ON chat FOR EACH ROW EXECUTE FUNCTION maestro_refuse('chat is append-only');;
CREATE TRIGGER chat_no_truncate BEFORE TRUNCATE ON chat FOR EACH STATEMENT EXECUTE FUNCTION maestro_refuse('chat is append-only');;
CREATE TRIGGER effects_no_update BEFORE UPDATE ON effects FOR EACH ROW WHEN (OLD.reply IS NOT NULL) EXECUTE FUNCTION maestro_refuse('an effect is answered once');;
CREATE TRIGGER effects_no_delete BEFORE DELETE ON effects FOR EACH ROW EXECUTE FUNCTION maestro_refuse('effects are kept');;
CREATE TRIGGER effects_no_truncate BEFORE TRUNCATE ON effects FOR EACH STATEMENT EXECUTE FUNCTION maestro_refuse('effects are kept');;
INSERT INTO maestro_schema (version) VALUES (2);;
