package io.maestro.record.internal;

import io.maestro.record.StoreException;
import io.maestro.record.StoreUnavailableException;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A record in PostgreSQL, by connections of the host's. */
final class PostgresDatabase implements Database {
    /** Two numbers of an advisory lock: "MAES", and one for the schema, as each has a record of its own. */
    private static final String LOCK = "(" + 0x4d414553 + ", hashtext('%s ' || coalesce(current_schema(), '')))";

    /** Held by whoever changes the tables; whoever writes to them shares it, so that the version stays the same meanwhile. */
    static final String LOCK_FOR_TABLES = "pg_advisory_xact_lock" + LOCK.formatted("tables");

    private static final String LOCK_FOR_WRITING = "pg_advisory_xact_lock_shared" + LOCK.formatted("tables");

    private static final int OLDEST = 12;

    /** The same server, and not one that took its place: that would count the transactions in its own way. */
    private static final String SERVER = "CAST(extract(epoch FROM pg_postmaster_start_time()) AS text)";

    /** A process that stands still, or a machine that is gone, must not keep its locks: the server ends its transaction. */
    private static final Duration STANDSTILL = Duration.ofSeconds(30);

    private static final Dialect DIALECT = new Dialect(
            "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)",
            "json_array_elements_text(CAST(? AS json)) WITH ORDINALITY AS wanted (name, place)",
            " FOR UPDATE OF leases SKIP LOCKED",
            " FOR SHARE",
            "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ",
            "SELECT pg_advisory_xact_lock" + LOCK.formatted("sums"));

    private final DataSource dataSource;
    private final String begin;
    private final @Nullable String schema;
    private volatile String location = "of the DataSource";

    PostgresDatabase(DataSource dataSource) {
        this(dataSource, null);
    }

    PostgresDatabase(DataSource dataSource, @Nullable String schema) {
        this(dataSource, schema, STANDSTILL);
    }

    PostgresDatabase(DataSource dataSource, @Nullable String schema, Duration standstill) {
        this.dataSource = dataSource;
        this.schema = schema == null ? null : requireName(schema);
        // For the transaction only: the connection may be a pool's.
        this.begin = "SELECT set_config('idle_in_transaction_session_timeout', '" + standstill.toMillis() + "', true), "
                + LOCK_FOR_WRITING + ", txid_current() || ' ' || " + SERVER + " AS transaction";
    }

    /** Such a name needs no quotes, and is the same in SQL and in the catalogue. */
    private static String requireName(String schema) {
        if (!schema.matches("[a-z_][a-z0-9_]{0,62}") || schema.startsWith("pg_")) {
            throw new IllegalArgumentException(
                    "the schema '" + schema + "' cannot be used: give 1 to 63 small letters a-z,"
                            + " digits and underscores, no digit first, and not 'pg_' at the beginning");
        }
        return schema;
    }

    @Override
    public Dialect dialect() {
        return DIALECT;
    }

    @Override
    public String location() {
        return location;
    }

    @Override
    public Statements connect() {
        Connection connection;
        try {
            connection = dataSource.getConnection();
        } catch (SQLException | RuntimeException e) {
            throw failure("could not be opened", e);
        }
        try {
            accept(connection.getMetaData());
            // A pool may give them out in another way.
            connection.setAutoCommit(true);
            connection.setReadOnly(false);
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            return schema == null ? new Statements(connection) : inSchema(schema, connection);
        } catch (SQLException e) {
            closeAfter(e, connection);
            throw failure("could not be opened", e);
        } catch (RuntimeException e) {
            closeAfter(e, connection);
            throw e;
        }
    }

    /** The connection may be a pool's: others must find their own tables after it was given back. */
    private static Statements inSchema(String schema, Connection connection) throws SQLException {
        String before;
        try (Statement statement = connection.createStatement()) {
            before = PostgresSchema.text(statement, "SHOW search_path");
            statement.execute("SET search_path TO " + schema);
        }
        return new Statements(connection, () -> {
            if (!connection.getAutoCommit()) {
                connection.rollback();
                connection.setAutoCommit(true);
            }
            try (PreparedStatement statement =
                    connection.prepareStatement("SELECT set_config('search_path', ?, false)")) {
                statement.setString(1, before);
                statement.execute();
            }
        });
    }

    private static void closeAfter(Exception failure, Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            failure.addSuppressed(e);
        }
    }

    private void accept(DatabaseMetaData metaData) throws SQLException {
        String product = metaData.getDatabaseProductName();
        if (!"PostgreSQL".equals(product) || metaData.getDatabaseMajorVersion() < OLDEST) {
            throw new StoreException(
                    "the DataSource leads to %s %s, and the record can be kept in PostgreSQL %d or later only"
                            .formatted(product, metaData.getDatabaseProductVersion(), OLDEST),
                    null);
        }
        location = withoutCredentials(metaData.getURL()) + (schema == null ? "" : " (schema " + schema + ")");
    }

    private static String withoutCredentials(@Nullable String url) {
        return url == null ? "in PostgreSQL" : url.replaceFirst("\\?.*", "").replaceFirst("//[^/]*@", "//");
    }

    @Override
    public void prepare(Statements statements) {
        Connection connection = statements.connection();
        int version;
        try (Statement statement = connection.createStatement()) {
            String encoding = PostgresSchema.text(statement, "SHOW server_encoding");
            if (!"UTF8".equals(encoding)) {
                throw new StoreException(
                        location + " keeps its texts in " + encoding
                                + ", which lacks most characters; create a database with ENCODING 'UTF8'",
                        null);
            }
            // After a failure the connection is closed.
            connection.setAutoCommit(false);
            version = PostgresSchema.prepare(connection, schema, location);
            connection.commit();
            connection.setAutoCommit(true);
        } catch (SQLException e) {
            throw failure("could not be opened", e);
        }
        SchemaVersion.check(version, location);
    }

    @Override
    public String begin(Statements statements) throws SQLException {
        String transaction =
                statements.query(begin, row -> row.getString("transaction")).get(0);
        // In a statement of its own, which sees what was committed while the lock was waited for.
        SchemaVersion.checkUnchanged(statements);
        return transaction;
    }

    @Override
    public Optional<Boolean> isCommitted(Statements statements, String transaction) throws SQLException {
        String[] parts = transaction.split(" ", 2);
        List<String> states = statements.query(
                "SELECT coalesce(txid_status(CAST(? AS bigint)), 'forgotten') AS state WHERE " + SERVER + " = ?",
                row -> row.getString("state"),
                parts[0],
                parts[1]);
        String state = states.isEmpty() ? "of another server" : states.get(0);
        return switch (state) {
            case "committed" -> Optional.of(true);
            case "aborted" -> Optional.of(false);
            // Its own connection has not noticed yet that it was lost.
            case "in progress" -> throw new SQLTransientConnectionException("the commit goes on");
            default -> Optional.empty();
        };
    }

    @Override
    public boolean isFaultOfRow(SQLException failure) {
        return switch (PostgresError.of(failure)) {
            // Where transactions were in each other's way, smaller ones may not be.
            case CONSTRAINT, CONFLICT, OTHER -> true;
            default -> false;
        };
    }

    @Override
    public boolean isLost(Connection connection, SQLException failure) {
        try {
            return PostgresError.of(failure) == PostgresError.LOST || connection.isClosed();
        } catch (SQLException e) {
            return true;
        }
    }

    @Override
    public StoreException failure(String action, Throwable cause) {
        String message = "the record " + location + " " + action + ": " + why(cause);
        boolean passing = cause instanceof StoreException
                ? cause instanceof StoreUnavailableException
                : PostgresError.of(cause).isPassing();
        return passing ? new StoreUnavailableException(message, cause) : new StoreException(message, cause);
    }

    private static @Nullable String why(Throwable cause) {
        if (cause instanceof SQLException) {
            return PostgresError.of(cause).explain(cause);
        }
        return cause instanceof StoreException ? cause.getMessage() : cause.toString();
    }
}
