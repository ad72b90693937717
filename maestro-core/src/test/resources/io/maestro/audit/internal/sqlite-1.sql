-- What Maestro 0.1 made in an empty file; statements end with two semicolons.
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
