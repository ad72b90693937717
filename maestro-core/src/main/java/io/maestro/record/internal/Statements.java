package io.maestro.record.internal;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A connection with its prepared statements. For use by one thread at a time. */
public final class Statements implements AutoCloseable {
    /** Always nine digits, so that the order of the texts is the order of the times. */
    private static final DateTimeFormatter UTC =
            new DateTimeFormatterBuilder().appendInstant(9).toFormatter();

    private static final int ROWS_AT_ONCE = 100;

    private final Connection connection;
    private final AtClose atClose;
    private final Map<String, PreparedStatement> prepared = new HashMap<>();

    Statements(Connection connection) {
        this(connection, () -> {});
    }

    /** With what is to be done before the connection is closed. */
    Statements(Connection connection, AtClose atClose) {
        this.connection = connection;
        this.atClose = atClose;
    }

    /** Puts a connection back into the state in which it came. */
    interface AtClose {
        void run() throws SQLException;
    }

    Connection connection() {
        return connection;
    }

    /** Runs an INSERT or UPDATE and tells how many rows it wrote. */
    int update(String sql, @Nullable Object... values) throws SQLException {
        return bound(sql, values).executeUpdate();
    }

    <T> List<T> query(String sql, RowReader<T> reader, @Nullable Object... values) throws SQLException {
        try (ResultSet rows = bound(sql, values).executeQuery()) {
            List<T> found = new ArrayList<>();
            while (rows.next()) {
                found.add(reader.read(rows));
            }
            return found;
        }
    }

    /** Reads rows one by one, which may be more than fit into memory; not in auto-commit mode. */
    void each(String sql, RowAction action) throws SQLException, IOException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setFetchSize(ROWS_AT_ONCE);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    action.take(rows);
                }
            }
        }
    }

    /** Does something with a row. */
    interface RowAction {
        void take(ResultSet row) throws SQLException, IOException;
    }

    /** Makes a record of a row. */
    interface RowReader<T> {
        T read(ResultSet row) throws SQLException;
    }

    private PreparedStatement bound(String sql, @Nullable Object... values) throws SQLException {
        PreparedStatement statement = prepared.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql);
            prepared.put(sql, statement);
        }
        for (int i = 0; i < values.length; i++) {
            bind(statement, i + 1, values[i]);
        }
        return statement;
    }

    private static void bind(PreparedStatement statement, int index, @Nullable Object value) throws SQLException {
        if (value == null) {
            statement.setNull(index, Types.NULL);
        } else if (value instanceof Instant instant) {
            statement.setString(index, UTC.format(instant));
        } else if (value instanceof Enum<?> constant) {
            statement.setString(index, constant.name());
        } else if (value instanceof String text) {
            statement.setString(index, StorableText.of(text));
        } else {
            statement.setObject(index, value);
        }
    }

    /** Closes the connection, and with it its statements. */
    @Override
    public void close() throws SQLException {
        try {
            for (PreparedStatement statement : prepared.values()) {
                statement.close();
            }
            atClose.run();
        } finally {
            connection.close();
        }
    }
}
