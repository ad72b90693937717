package io.maestro.record.internal;

import io.maestro.record.StoreException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The tables of the record in PostgreSQL, in the first schema of the connection's search path. */
final class PostgresSchema {
    private static final String REFUSE = """
            CREATE OR REPLACE FUNCTION maestro_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'restrict_violation';
            END $$""";

    private PostgresSchema() {}

    /**
     * Makes the schema and the tables when there are none; the caller commits.
     *
     * @return the version of the tables
     * @throws StoreException when there are tables of another program with the same names
     */
    static int prepare(Connection connection, @Nullable String schema, String location) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            int version = version(statement);
            if (version == 0) {
                // Other processes may be here at the same time; from now on none of them is.
                statement.execute("SELECT " + PostgresDatabase.LOCK_FOR_TABLES);
                version = version(statement);
            }
            if (version == 0) {
                if (schema != null
                        && text(statement, "SELECT coalesce(current_schema(), '')")
                                .isEmpty()) {
                    statement.execute("CREATE SCHEMA " + schema);
                }
                refuseTakenNames(statement, location);
                for (String step : Tables.statements()) {
                    for (String sql : translate(step)) {
                        statement.execute(sql);
                    }
                }
                version = Tables.VERSION;
            }
            return version;
        }
    }

    /** By the catalogue's rows, as to_regclass remembers within a transaction that there was no table before the lock. */
    private static int version(Statement statement) throws SQLException {
        boolean exists = !"0"
                .equals(text(
                        statement,
                        "SELECT count(*) FROM pg_class WHERE relname = 'maestro_schema' AND pg_table_is_visible(oid)"));
        return exists ? Integer.parseInt(text(statement, "SELECT max(version) FROM maestro_schema")) : 0;
    }

    /** Other tables may be there: a host may well keep the record beside its own data. */
    private static void refuseTakenNames(Statement statement, String location) throws SQLException {
        String names = Tables.statements().stream()
                .filter(sql -> sql.startsWith("CREATE TABLE ") || sql.startsWith("CREATE VIEW "))
                .map(sql -> "'" + sql.split(" ", 4)[2] + "'")
                .collect(Collectors.joining(", "));
        String taken = text(
                statement,
                "SELECT coalesce(string_agg(relname, ', ' ORDER BY relname), '') FROM pg_class"
                        + " WHERE relnamespace = to_regnamespace(quote_ident(current_schema()))"
                        + " AND relname IN (" + names + ")");
        if (!taken.isEmpty()) {
            throw new StoreException(
                    location + " has tables of another program with names that Maestro needs: " + taken
                            + "; give Maestro a schema of its own, by record(record -> record.schema(\"maestro\"))",
                    null);
        }
    }

    private static List<String> translate(String step) {
        if (step.equals("KEEP ANSWERS")) {
            List<String> sql = new ArrayList<>();
            sql.add(REFUSE);
            sql.add(refuse("effects", "UPDATE", "ROW WHEN (OLD.reply IS NOT NULL)", "an effect is answered once"));
            sql.addAll(refuseDelete("effects", "OLD.story_id"));
            return sql;
        }
        if (step.startsWith("KEEP ")) {
            String[] words = step.split(" ", 4);
            String table = words[1];
            String reason = table + " is append-only";
            if (words.length == 2) {
                return List.of(
                        refuse(table, "UPDATE OR DELETE", "ROW", reason),
                        refuse(table, "TRUNCATE", "STATEMENT", reason));
            }
            List<String> sql = new ArrayList<>();
            sql.add(refuse(table, "UPDATE", "ROW", reason));
            sql.addAll(refuseDelete(table, words[3]));
            return sql;
        }
        if (step.startsWith("FINISHED ")) {
            String table = step.substring("FINISHED ".length());
            return refuseWhen(table, "INSERT", Tables.UNFINISHED, Tables.NOT_ENDED, "NEW");
        }
        // Texts are compared by their bytes, as in SQLite.
        return List.of(step.replace("seq INTEGER PRIMARY KEY", "seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY")
                .replace("express INTEGER", "express BOOLEAN")
                .replace(" INTEGER", " BIGINT")
                // A model's name may be too long for an ordered index; here texts lie beside the row, so that nothing
                // is gained by more columns.
                .replaceFirst("(?s)(INDEX messages_by_(?:cost|time) ON messages \\(\\w+)[^)]*\\)", "$1)")
                .replace(" TEXT", " TEXT COLLATE \"C\"")
                .replace(") STRICT", ")"));
    }

    private static List<String> refuseDelete(String table, String key) {
        String reason = table + " is append-only";
        List<String> sql = new ArrayList<>();
        sql.add(refuse(table, "TRUNCATE", "STATEMENT", table.equals("effects") ? "effects are kept" : reason));
        sql.addAll(refuseWhen(table, "DELETE", key + " NOT IN (SELECT id FROM pruning)", reason, "OLD"));
        return sql;
    }

    private static List<String> refuseWhen(
            String table, String operation, String condition, String reason, String row) {
        String function = "maestro_" + table + "_no_" + operation.toLowerCase(Locale.ROOT);
        return List.of(
                """
                CREATE FUNCTION %s() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    IF %s THEN
                        RAISE EXCEPTION '%s' USING ERRCODE = 'restrict_violation';
                    END IF;
                    RETURN %s;
                END $$""".formatted(function, condition, reason, row),
                "CREATE TRIGGER %s_no_%s BEFORE %s ON %s FOR EACH ROW EXECUTE FUNCTION %s()"
                        .formatted(table, operation.toLowerCase(Locale.ROOT), operation, table, function));
    }

    private static String refuse(String table, String operation, String each, String reason) {
        String name = table + "_no_" + operation.split(" ", 2)[0].toLowerCase(Locale.ROOT);
        return "CREATE TRIGGER %s BEFORE %s ON %s FOR EACH %s EXECUTE FUNCTION maestro_refuse('%s')"
                .formatted(name, operation, table, each, reason);
    }

    static String text(Statement statement, String sql) throws SQLException {
        try (ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }
}
