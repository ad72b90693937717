package io.maestro.audit.internal;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/** Records as older Maestros have made and written them; before a version of the tables is raised, it is kept here. */
enum OlderRecord {
    SQLITE_1(Backend.SQLITE),
    SQLITE_2(Backend.SQLITE),
    SQLITE_6(Backend.SQLITE),
    POSTGRES_2(Backend.POSTGRES),
    POSTGRES_6(Backend.POSTGRES);

    static final String T = "2026-11-20T10:00:00.123456789Z";

    private static final List<String> ROWS_OF_1 = List.of(
            "INSERT INTO sessions (id, repository, process_id, started_at, ended_at)"
                    + " VALUES ('s1', '/srv/app.git', 4711, '" + T + "', '" + T + "')",
            story(
                    "1, 's1', 'Title', 'Content', 'APP', true, 'ERROR', 'coder-001', 'branch', 'commit', 'an error', '{\"n\":1}'"),
            story("2, 's1', 'Title', 'Content', 'APP', false, 'CODING', NULL, NULL, NULL, NULL, '{}'"),
            "INSERT INTO state_transitions (session_id, story_id, attempt, agent_id, from_state, to_state, reason, timestamp)"
                    + " VALUES ('s1', '042', 2, 'coder-001', 'WAITING', 'CODING', 'why', '" + T + "')",
            "INSERT INTO messages (session_id, story_id, attempt, agent_id, state, role, content, model, input_tokens,"
                    + " output_tokens, timestamp)"
                    + " VALUES ('s1', '042', 2, 'coder-001', 'CODING', 'assistant', '[]', 'm', 3, 4, '" + T + "')",
            "INSERT INTO tool_executions (session_id, agent_id, story_id, attempt, state, tool_name, call_id, parameters,"
                    + " result, duration_ms, timestamp)"
                    + " VALUES ('s1', 'coder-001', '042', 2, 'CODING', 'shell', 'c1', '{}', 'out', 12, '" + T + "')",
            "INSERT INTO effects (id, session_id, story_id, attempt, agent_id, kind, request, requested_at, reply,"
                    + " replied_at) VALUES ('e1', 's1', '042', 2, 'coder-001', 'MERGE', '{}', '" + T
                    + "', '{\"a\":1}', '" + T + "'), ('e2', 's1', '042', 2, 'coder-001', 'MERGE', '{}', '" + T
                    + "', NULL, NULL)");

    private static final List<String> ROWS_OF_2 = List.of(
            "INSERT INTO specs (id, session_id, title, content, state, data, updated_at)"
                    + " VALUES ('spec', 's1', 'A specification', '# Do all', 'WAITING', '{}', '" + T + "')",
            "INSERT INTO spec_transitions (session_id, spec_id, agent_id, from_state, to_state, reason, timestamp)"
                    + " VALUES ('s1', 'spec', 'architect', 'WAITING', 'SCOPING', 'because', '" + T + "')",
            "INSERT INTO todos (story_id, attempt, todos) VALUES ('042', 2, '[1]')",
            "INSERT INTO chat (number, session_id, author, text, timestamp) VALUES (7, 's1', 'host', 'hi', '" + T
                    + "')",
            "INSERT INTO leases (name, session_id, expires_at) VALUES ('story/042', 's1', 9000000000000)",
            "INSERT INTO lease_holders (name, session_id) VALUES ('story/042', 's1')");

    final Backend backend;

    OlderRecord(Backend backend) {
        this.backend = backend;
    }

    private static String story(String values) {
        return "INSERT INTO stories (id, attempt, session_id, title, content, type, express, state, agent_id, branch,"
                + " merge_commit, error, data, updated_at) VALUES ('042', " + values + ", '" + T + "')";
    }

    int version() {
        return Integer.parseInt(name().replaceFirst(".*_", ""));
    }

    /** Makes one, with rows. */
    String make(Path directory) throws IOException, SQLException {
        String url = backend.newPlace(directory);
        Files.createDirectories(directory.resolve("not/yet/there"));
        List<String> statements = new ArrayList<>(List.of(ddl().strip().split(";;\\s*")));
        statements.addAll(ROWS_OF_1);
        if (version() > 1) {
            statements.addAll(ROWS_OF_2);
        }
        try (Connection connection = Backend.connect(url);
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
        return url;
    }

    private String ddl() {
        String file = name().toLowerCase(Locale.ROOT).replace('_', '-') + ".sql";
        try (InputStream in = OlderRecord.class.getResourceAsStream(file)) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
