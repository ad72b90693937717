package io.maestro.record.internal;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** The tables of the record in SQLite. */
final class SqliteSchema {
    private SqliteSchema() {}

    /** Reads the version; 0 means an empty database, -1 one that is not Maestro's. */
    static int version(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            // In one statement: another process may make the tables at this moment.
            int kind = number(statement, """
                    SELECT CASE
                        WHEN EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'maestro_schema') THEN 1
                        WHEN EXISTS (SELECT 1 FROM sqlite_master) THEN -1
                        ELSE 0 END""");
            if (kind <= 0) {
                return kind;
            }
            return number(statement, "SELECT max(version) FROM maestro_schema");
        }
    }

    /** Makes the tables in an empty database; the caller commits. */
    static void create(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String step : Tables.statements()) {
                for (String sql : translate(step)) {
                    statement.execute(sql);
                }
            }
        }
    }

    private static List<String> translate(String step) {
        if (step.equals("KEEP ANSWERS")) {
            return List.of(
                    refuse("update", "effects", "WHEN OLD.reply IS NOT NULL", "an effect is answered once"),
                    refuseDelete("effects", "OLD.story_id"));
        }
        if (step.startsWith("KEEP ")) {
            String[] words = step.split(" ", 4);
            String table = words[1];
            return List.of(
                    refuse("update", table, "", table + " is append-only"),
                    words.length == 2
                            ? refuse("delete", table, "", table + " is append-only")
                            : refuseDelete(table, words[3]));
        }
        if (step.startsWith("FINISHED ")) {
            String table = step.substring("FINISHED ".length());
            return List.of(refuse("insert", table, "WHEN " + Tables.UNFINISHED, Tables.NOT_ENDED));
        }
        return List.of(step);
    }

    private static String refuseDelete(String table, String key) {
        return refuse("delete", table, "WHEN " + key + " NOT IN (SELECT id FROM pruning)", table + " is append-only");
    }

    private static String refuse(String operation, String table, String condition, String reason) {
        return "CREATE TRIGGER %1$s_no_%2$s BEFORE %2$s ON %1$s %3$s BEGIN SELECT RAISE(ABORT, '%4$s'); END"
                .formatted(table, operation, condition, reason);
    }

    private static int number(Statement statement, String sql) throws SQLException {
        try (ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? row.getInt(1) : 0;
        }
    }
}
