package io.maestro.record.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.record.AuditLog;
import io.maestro.record.CallQuery;
import io.maestro.story.CoderState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** How the databases answer questions about all stories: by an index, and to people by views that the README describes. */
@Timeout(60)
@ParameterizedClass
@EnumSource(Backend.class)
class RecordQueryTest {
    /** So many that PostgreSQL prefers an index. */
    private static final int ROWS = 5_000;

    private static final String MANY = """
            INSERT INTO tool_executions (session_id, agent_id, story_id, attempt, state, tool_name, call_id, parameters,
                result, error, exit_code, duration_ms, timestamp)
            SELECT 's1', 'coder-00' || (n %% 100), 'story-' || (n %% 500), 1, 'STATE-' || (n %% 50), 'tool-' || (n %% 100),
                'c' || n, '{}', 'out', NULL, CASE WHEN n %% 100 = 0 THEN 1 ELSE 0 END, n,
                '2026-11-20T10:' || (10 + n %% 50) || ':00.000000000Z' FROM %s""";

    private static final Instant TIME = Instant.parse("2026-11-20T10:30:00Z");

    @Parameter
    Backend backend;

    @TempDir
    Path directory;

    private static List<String> rows(Connection connection, String sql, Object... values) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i] instanceof Instant ? values[i].toString() : values[i]);
            }
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    rows.add(result.getString(backend(connection) == Backend.SQLITE ? 4 : 1));
                }
            }
        }
        return rows;
    }

    private static Backend backend(Connection connection) throws SQLException {
        return connection.getMetaData().getURL().startsWith("jdbc:sqlite:") ? Backend.SQLITE : Backend.POSTGRES;
    }

    private List<String> plan(Connection connection, String sql, Object... values) throws SQLException {
        return rows(connection, (backend == Backend.SQLITE ? "EXPLAIN QUERY PLAN " : "EXPLAIN ") + sql, values);
    }

    /** Neither the table from one end to the other nor a sort of it. */
    private void usesAnIndex(Connection connection, String name, String sql, Object... values) throws SQLException {
        List<String> plan = plan(connection, sql, values);
        assertThat(plan)
                .as("%s: %s", name, sql)
                .noneMatch(line -> line.contains("Seq Scan on tool_executions")
                        || line.matches("SCAN tool_executions(?! USING (COVERING )?INDEX).*"));
    }

    @Test
    void noFilterReadsTheWholeTable() throws SQLException {
        String url = backend.newRecord(directory);
        Backend.open(url).close();
        try (Connection connection = Backend.connect(url);
                Statement statement = connection.createStatement()) {
            statement.execute(MANY.formatted(
                    backend == Backend.SQLITE
                            ? "(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < " + ROWS
                                    + ") SELECT n FROM s)"
                            : "generate_series(1, " + ROWS + ") AS s (n)"));
            if (backend == Backend.POSTGRES) {
                statement.execute("ANALYZE tool_executions");
            }
            for (Map.Entry<String, CallQuery.Builder> query : queries().entrySet()) {
                CallSelects select = CallSelects.of(query.getValue().most(20).build());
                usesAnIndex(connection, query.getKey(), select.sql(), select.values());
            }
            for (String view : List.of("recent_calls", "failed_calls", "slowest_calls")) {
                String sql = "SELECT * FROM " + view + " LIMIT 20";
                usesAnIndex(connection, view, sql);
                assertThat(plan(connection, sql))
                        .as(view)
                        .noneMatch(line -> line.contains("TEMP B-TREE") || line.contains("Sort"));
            }
        }
    }

    private static Map<String, CallQuery.Builder> queries() {
        Map<String, CallQuery.Builder> queries = new LinkedHashMap<>();
        queries.put("newest", CallQuery.newest());
        queries.put("slowest", CallQuery.slowest());
        queries.put("failures", CallQuery.newest().outcome(CallQuery.Outcome.FAILED));
        queries.put("successes", CallQuery.newest().outcome(CallQuery.Outcome.SUCCEEDED));
        queries.put("agent", CallQuery.newest().agent("coder-007"));
        queries.put("tool", CallQuery.newest().tool("tool-7"));
        queries.put("state", CallQuery.newest().state("STATE-7"));
        queries.put("story", CallQuery.newest().story("story-7"));
        queries.put("attempt", CallQuery.newest().story("story-7").attempt(1));
        queries.put("time", CallQuery.newest().from(TIME).until(TIME.plusSeconds(60)));
        queries.put("from", CallQuery.newest().from(TIME.plus(Duration.ofMinutes(29))));
        queries.put("until", CallQuery.newest().until(TIME));
        queries.put("slowest of a tool", CallQuery.slowest().tool("tool-7"));
        queries.put("slowest failures", CallQuery.slowest().outcome(CallQuery.Outcome.FAILED));
        queries.put("slowest of a time", CallQuery.slowest().from(TIME).until(TIME.plusSeconds(60)));
        return queries;
    }

    private static String readme() throws IOException {
        String all = Files.readString(Path.of("README.md"));
        return all.substring(all.indexOf("### Ask the record"), all.indexOf("### Backup"));
    }

    /** The rows of a table of the README, whose first cell is the name of a view and whose last one names its columns. */
    private static Map<String, List<String>> documentedViews() throws IOException {
        Map<String, List<String>> views = new LinkedHashMap<>();
        Matcher row = Pattern.compile("(?m)^\\| `(\\w+)` \\|[^|]*\\| ((?:`\\w+`(?:, )?)+) \\|$")
                .matcher(readme());
        while (row.find()) {
            views.put(
                    row.group(1),
                    Stream.of(row.group(2).split(", "))
                            .map(name -> name.replace("`", ""))
                            .toList());
        }
        return views;
    }

    @Test
    void theReadmeNamesEveryViewAndItsColumns() throws Exception {
        String url = backend.newRecord(directory);
        Backend.open(url).close();
        Map<String, List<String>> there = new LinkedHashMap<>();
        try (Connection connection = Backend.connect(url);
                Statement statement = connection.createStatement()) {
            Matcher view = Pattern.compile("CREATE VIEW (\\w+)").matcher(QueryViews.SQL);
            while (view.find()) {
                try (ResultSet rows = statement.executeQuery("SELECT * FROM " + view.group(1))) {
                    List<String> columns = new ArrayList<>();
                    for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                        columns.add(rows.getMetaData().getColumnName(i));
                    }
                    there.put(view.group(1), columns);
                }
            }
        }
        there.keySet().removeAll(Set.of("model_usage", "timed_usage")); // Maestro's own

        assertThat(documentedViews()).isEqualTo(there);
    }

    @Test
    void theQueriesOfTheReadmeFindWhatTheyPromise() throws Exception {
        String url = backend.newRecord(directory);
        try (Store store = Backend.open(url)) {
            Samples.begin(store);
            store.saveStory(Samples.story("042", 2, CoderState.CODING));
            store.recordToolExecution(Samples.toolExecution("042", "c1"));
            store.recordToolExecution(new AuditLog.ToolExecution(
                    "s1",
                    "coder-001",
                    "042",
                    2,
                    "TESTING",
                    "test",
                    "c2",
                    null,
                    "{}",
                    null,
                    "2 failed",
                    1,
                    9,
                    Samples.AT));
            store.recordMessage(new AuditLog.Message(
                    "s1", "042", 2, "coder-001", "CODING", 0, "assistant", "[]", "m", null, 1, 2, 3, 4, Samples.AT));
        }
        Matcher block = Pattern.compile("(?s)```sql\n(.*?)```").matcher(readme());
        List<String> queries = block.results()
                .flatMap(found -> Stream.of(found.group(1).split(";")))
                .map(sql -> sql.lines()
                        .filter(line -> !line.startsWith("--"))
                        .collect(Collectors.joining(" "))
                        .strip())
                .filter(sql -> !sql.isEmpty())
                .toList();
        assertThat(queries).hasSizeGreaterThanOrEqualTo(7);
        try (Connection connection = Backend.connect(url);
                Statement statement = connection.createStatement()) {
            for (String sql : queries) {
                try (ResultSet rows = statement.executeQuery(sql)) {
                    assertThat(rows.next()).as(sql).isTrue();
                }
            }
        }
    }
}
