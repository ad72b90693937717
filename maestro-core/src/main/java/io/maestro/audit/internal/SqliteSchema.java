package io.maestro.audit.internal;

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

    /** Makes the tables, or brings older ones up to date; the caller commits. */
    static void upgrade(Connection connection, int from) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String step : Tables.steps(from)) {
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
                    refuse("delete", "effects", "", "effects are kept"));
        }
        if (step.startsWith("KEEP ")) {
            String table = step.substring("KEEP ".length());
            String reason = table + " is append-only";
            return List.of(refuse("update", table, "", reason), refuse("delete", table, "", reason));
        }
        if (step.startsWith("FINISHED ")) {
            String table = step.substring("FINISHED ".length());
            return List.of(refuse("insert", table, "WHEN " + Tables.UNFINISHED, Tables.NOT_ENDED));
        }
        if (step.startsWith("PRUNE ")) {
            String[] words = step.substring("PRUNE ".length()).split(" BY ", 2);
            return List.of(
                    "DROP TRIGGER " + words[0] + "_no_delete",
                    refuse(
                            "delete",
                            words[0],
                            "WHEN " + words[1] + " NOT IN (SELECT id FROM pruning)",
                            words[0] + " is append-only"));
        }
        return List.of(step);
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
