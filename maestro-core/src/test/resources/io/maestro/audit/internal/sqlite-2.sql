-- What Maestro made in an empty file when its tables had version 2; statements end with two semicolons.
CREATE TABLE maestro_schema (version INTEGER NOT NULL) STRICT;;
CREATE TABLE sessions (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    repository TEXT NOT NULL,
    process_id INTEGER NOT NULL,
    started_at TEXT NOT NULL,
    ended_at TEXT
) STRICT;;
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
    timestamp TEXT NOT NULL,
    step INTEGER NOT NULL DEFAULT 0,
    cache_read_tokens INTEGER NOT NULL DEFAULT 0,
    cache_write_tokens INTEGER NOT NULL DEFAULT 0
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
CREATE TRIGGER state_transitions_no_update BEFORE update ON state_transitions  BEGIN SELECT RAISE(ABORT, 'state_transitions is append-only'); END;;
CREATE TRIGGER state_transitions_no_delete BEFORE delete ON state_transitions  BEGIN SELECT RAISE(ABORT, 'state_transitions is append-only'); END;;
CREATE TRIGGER messages_no_update BEFORE update ON messages  BEGIN SELECT RAISE(ABORT, 'messages is append-only'); END;;
CREATE TRIGGER messages_no_delete BEFORE delete ON messages  BEGIN SELECT RAISE(ABORT, 'messages is append-only'); END;;
CREATE TRIGGER tool_executions_no_update BEFORE update ON tool_executions  BEGIN SELECT RAISE(ABORT, 'tool_executions is append-only'); END;;
CREATE TRIGGER tool_executions_no_delete BEFORE delete ON tool_executions  BEGIN SELECT RAISE(ABORT, 'tool_executions is append-only'); END;;
CREATE TRIGGER spec_transitions_no_update BEFORE update ON spec_transitions  BEGIN SELECT RAISE(ABORT, 'spec_transitions is append-only'); END;;
CREATE TRIGGER spec_transitions_no_delete BEFORE delete ON spec_transitions  BEGIN SELECT RAISE(ABORT, 'spec_transitions is append-only'); END;;
CREATE TRIGGER chat_no_update BEFORE update ON chat  BEGIN SELECT RAISE(ABORT, 'chat is append-only'); END;;
CREATE TRIGGER chat_no_delete BEFORE delete ON chat  BEGIN SELECT RAISE(ABORT, 'chat is append-only'); END;;
CREATE TRIGGER effects_no_update BEFORE update ON effects WHEN OLD.reply IS NOT NULL BEGIN SELECT RAISE(ABORT, 'an effect is answered once'); END;;
CREATE TRIGGER effects_no_delete BEFORE delete ON effects  BEGIN SELECT RAISE(ABORT, 'effects are kept'); END;;
INSERT INTO maestro_schema (version) VALUES (2);;
