package io.maestro.record.internal;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.maestro.record.StoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes a record as lines of JSON. */
public final class JsonLines {
    private static final JsonMapper JSON = JsonMapper.builder(new JsonFactory().setCharacterEscapes(new LineBreaks()))
            .build();

    private static final List<String> TABLES = List.of(
            "sessions ORDER BY seq",
            "specs ORDER BY id",
            "spec_transitions ORDER BY seq",
            "stories ORDER BY id, attempt",
            "state_transitions ORDER BY seq",
            "prompts ORDER BY seq",
            "messages ORDER BY seq",
            "tool_executions ORDER BY seq",
            "effects ORDER BY seq",
            "requests ORDER BY effect_id",
            "approvals ORDER BY seq",
            "cancellations ORDER BY seq",
            "connections ORDER BY seq",
            "todos ORDER BY story_id, attempt",
            "chat ORDER BY number",
            "pruned_usage ORDER BY seq",
            "spending ORDER BY scope",
            "open_requests ORDER BY id",
            "open_cancellations ORDER BY name");

    private JsonLines() {}

    /** JSON may hold them as they are, but some readers of lines end a line there. */
    private static final class LineBreaks extends CharacterEscapes {
        private static final long serialVersionUID = 1L;

        @Override
        public int[] getEscapeCodesForAscii() {
            return standardAsciiEscapesForJSON();
        }

        @Override
        public @Nullable SerializableString getEscapeSequence(int character) {
            return switch (character) {
                case 0x85 -> new SerializedString("\\u0085");
                case 0x2028 -> new SerializedString("\\u2028");
                case 0x2029 -> new SerializedString("\\u2029");
                default -> null;
            };
        }
    }

    /**
     * Writes all rows as they stand at one moment.
     *
     * @param snapshot see {@link Dialect}
     */
    public static void write(Statements database, @Nullable String snapshot, Appendable out) throws SQLException {
        database.connection().setAutoCommit(false);
        try {
            if (snapshot != null) {
                database.update(snapshot);
            }
            for (String table : TABLES) {
                String name = table.substring(0, table.indexOf(' '));
                database.each(
                        "SELECT * FROM " + table,
                        row -> out.append(line(name, row)).append('\n'));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the record could not be exported: " + e.getMessage(), e);
        } finally {
            database.connection().rollback();
            database.connection().setAutoCommit(true);
        }
    }

    private static String line(String table, ResultSet row) throws SQLException {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("table", table);
        ResultSetMetaData columns = row.getMetaData();
        for (int i = 1; i <= columns.getColumnCount(); i++) {
            Object value = row.getObject(i);
            if (value != null) {
                values.put(columns.getColumnName(i), value);
            }
        }
        try {
            return JSON.writeValueAsString(values);
        } catch (JsonProcessingException e) {
            throw new StoreException("a row of " + table + " cannot be written as JSON", e);
        }
    }
}
