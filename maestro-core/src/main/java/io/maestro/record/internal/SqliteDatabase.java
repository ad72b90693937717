package io.maestro.record.internal;

import io.maestro.internal.PrivateFiles;
import io.maestro.internal.Uninterrupted;
import io.maestro.record.StoreException;
import io.maestro.record.StoreUnavailableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.Driver;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** A record in an SQLite file. */
final class SqliteDatabase implements Database {
    private static final Duration BUSY_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration RETRY = Duration.ofMillis(10);

    /** In bytes; what a log has anyway before its pages go into the file. */
    private static final int LOG_LIMIT = 4 << 20;

    /** SQLite's number of that mode of auto_vacuum. */
    private static final int INCREMENTAL = 2;

    /** The minor version of SQLite 3 that was the first to know STRICT tables. */
    private static final int OLDEST = 37;

    private static final Dialect DIALECT = new Dialect(
            // Not unixepoch('subsec'), which is NULL before SQLite 3.42.
            "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)",
            "(SELECT value AS name, key AS place FROM json_each(?)) AS wanted",
            "",
            "",
            null,
            null);

    private final Path file;
    private final Duration busyTimeout;
    private final List<String> morePragmas;

    /** What the file and its log are for the operating system; empty until the record is open. */
    private volatile List<Object> opened = List.of();

    SqliteDatabase(Path file) {
        this(file, BUSY_TIMEOUT, List.of());
    }

    /**
     * Creates one with its own settings.
     *
     * @param morePragmas for example {@code max_page_count=20}
     */
    SqliteDatabase(Path file, Duration busyTimeout, List<String> morePragmas) {
        this.file = file.toAbsolutePath().normalize();
        this.busyTimeout = busyTimeout;
        this.morePragmas = List.copyOf(morePragmas);
    }

    @Override
    public Dialect dialect() {
        return DIALECT;
    }

    @Override
    public String location() {
        return file.toString();
    }

    @Override
    public Statements connect() {
        requireSameFiles();
        Driver driver = driver();
        Path directory = Objects.requireNonNull(file.getParent(), "a file lies in a directory");
        try {
            PrivateFiles.requireTrusted(file);
            if (directory.endsWith(".maestro")) {
                PrivateFiles.requireOwn(directory);
            }
            PrivateFiles.makeMissing(directory);
            // Its log gets its mode.
            PrivateFiles.makeFile(file);
        } catch (IOException e) {
            throw failure(
                    "could not be opened, as it or its directory could not be made (check permissions, and whether the disk is read-only or full)",
                    e);
        }
        long start = System.nanoTime();
        while (true) {
            try {
                return new Statements(connect(driver));
            } catch (SQLException e) {
                // The change to WAL does not wait by itself when another connection makes it, too.
                boolean busy = SqliteError.of(e) == SqliteError.BUSY;
                if (!busy || System.nanoTime() - start > busyTimeout.toNanos()) {
                    throw failure("could not be opened", e);
                }
            } catch (UnsatisfiedLinkError e) {
                throw failure("could not be opened", e);
            }
            Uninterrupted.pause(RETRY);
        }
    }

    private Connection connect(Driver driver) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("busy_timeout", Long.toString(busyTimeout.toMillis()));
        // As a URI, because the driver takes what follows a '?' in a plain path for settings.
        Connection connection = driver.connect("jdbc:sqlite:" + file.toUri(), properties);
        try (Statement statement = connection.createStatement()) {
            requireVersion(connection.getMetaData());
            // Of a new file only: so that it can give space back that is free.
            statement.execute("PRAGMA auto_vacuum = INCREMENTAL");
            statement.execute("PRAGMA journal_mode = WAL");
            statement.execute("PRAGMA synchronous = FULL");
            // A log that grew beyond that, while somebody read for long, is cut again.
            statement.execute("PRAGMA journal_size_limit = " + LOG_LIMIT);
            statement.execute("PRAGMA foreign_keys = ON");
            for (String pragma : morePragmas) {
                statement.execute("PRAGMA " + pragma);
            }
            return connection;
        } catch (SQLException | StoreException e) {
            closeAfter(e, connection);
            throw e;
        }
    }

    /** The driver brings SQLite along, and which driver there is, is the host's choice. */
    private void requireVersion(DatabaseMetaData sqlite) throws SQLException {
        if (sqlite.getDatabaseMajorVersion() == 3 && sqlite.getDatabaseMinorVersion() < OLDEST) {
            throw new StoreException(
                    location() + " cannot be opened: the driver org.xerial:sqlite-jdbc that was found brings SQLite "
                            + sqlite.getDatabaseProductVersion() + "; use its version 3." + OLDEST + " or later",
                    null);
        }
    }

    private static void closeAfter(Exception failure, Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            failure.addSuppressed(e);
        }
    }

    /** The driver is looked up by name: it is an optional dependency, and its absence shall be explained. */
    private Driver driver() {
        for (ClassLoader loader : new ClassLoader[] {
            SqliteDatabase.class.getClassLoader(), Thread.currentThread().getContextClassLoader()
        }) {
            Driver driver = driver(loader);
            if (driver != null) {
                return driver;
            }
        }
        throw new StoreException(
                location() + " cannot be opened: SQLite's driver is missing; add the dependency"
                        + " org.xerial:sqlite-jdbc to your project",
                null);
    }

    private static @Nullable Driver driver(@Nullable ClassLoader loader) {
        try {
            return Class.forName("org.sqlite.JDBC", true, loader)
                    .asSubclass(Driver.class)
                    .getDeclaredConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException | LinkageError e) {
            return null;
        }
    }

    @Override
    public void prepare(Statements statements) {
        Connection connection = statements.connection();
        try {
            int version = SqliteSchema.version(connection);
            if (version == 0) {
                version = create(connection);
            }
            if (version < 0) {
                throw new StoreException(
                        location() + " is a database of another program: it has tables, but none of Maestro's; move it"
                                + " away, or use another project directory",
                        null);
            }
            SchemaVersion.check(version, location());
            opened = files();
        } catch (SQLException e) {
            throw failure("could not be opened", e);
        }
    }

    private static int create(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            // Takes the lock first: two processes may be here at the same time. After a failure the connection is
            // closed.
            statement.execute("BEGIN IMMEDIATE");
            if (SqliteSchema.version(connection) == 0) {
                SqliteSchema.create(connection);
            }
            statement.execute("COMMIT");
        }
        return SqliteSchema.version(connection);
    }

    @Override
    public String begin(Statements statements) throws SQLException {
        requireSameFiles();
        // Takes the lock, and changes nothing: a transaction that reads first cannot write any more once another
        // process has written. (The driver's own mode for it would hold the lock while nothing is written.) Asks in
        // the same statement whether the version is still ours.
        int ofAnother =
                statements.update("UPDATE maestro_schema SET version = version WHERE version <> " + Tables.VERSION);
        if (ofAnother > 0) {
            SchemaVersion.checkUnchanged(statements);
        }
        return "";
    }

    /** SQLite would go on with files that have no name any more, and what it wrote there would be gone at the end. */
    private void requireSameFiles() {
        if (!opened.isEmpty() && !opened.equals(files())) {
            throw new StoreException(
                    location()
                            + " or its -wal was deleted or replaced while it is open, as by git clean; nothing more is"
                            + " written to it: end this Maestro, put the files back if you have them, and start again",
                    null);
        }
    }

    private List<Object> files() {
        return List.of(key(file), key(file.resolveSibling(file.getFileName() + "-wal")));
    }

    private static Object key(Path path) {
        try {
            Object key = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
            // Windows has none, and lets nobody delete what is open.
            return key == null ? "a file" : key;
        } catch (IOException e) {
            return "no file";
        }
    }

    @Override
    public void shrink() {
        try (Statements statements = connect();
                Statement statement = statements.connection().createStatement()) {
            if (statements.query("PRAGMA auto_vacuum", row -> row.getInt(1)).get(0) == INCREMENTAL) {
                statement.executeUpdate("PRAGMA incremental_vacuum");
            } else {
                // A file of before version 3: it is written anew once.
                statement.execute("PRAGMA auto_vacuum = INCREMENTAL");
                statement.execute("VACUUM");
            }
            statement.execute("PRAGMA wal_checkpoint(TRUNCATE)");
        } catch (SQLException e) {
            throw failure("could not be made smaller", e);
        }
    }

    @Override
    public boolean isFaultOfRow(SQLException failure) {
        return switch (SqliteError.of(failure)) {
            // A smaller row may still fit.
            case FULL, CONSTRAINT, OTHER -> true;
            default -> false;
        };
    }

    /** There is no connection that could be lost: what fails is the disk. */
    @Override
    public boolean isLost(Connection connection, SQLException failure) {
        return false;
    }

    @Override
    public StoreException failure(String action, Throwable cause) {
        String message = "the record " + location() + " " + action + ": " + why(cause);
        return isLocked(cause) ? new StoreUnavailableException(message, cause) : new StoreException(message, cause);
    }

    private static boolean isLocked(Throwable cause) {
        if (cause instanceof StoreException) {
            return cause instanceof StoreUnavailableException;
        }
        SqliteError error = SqliteError.of(cause);
        return error == SqliteError.BUSY || error == SqliteError.LOCKED;
    }

    private @Nullable String why(Throwable cause) {
        if (cause instanceof SQLException || cause instanceof UnsatisfiedLinkError) {
            return SqliteError.of(cause).explain(cause, busyTimeout);
        }
        return cause instanceof StoreException ? cause.getMessage() : cause.toString();
    }
}
