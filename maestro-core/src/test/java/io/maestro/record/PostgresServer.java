package io.maestro.record;

import io.maestro.record.internal.Store;
import io.maestro.testing.MemoryTempDir;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A real PostgreSQL for the tests of this JVM: started when the first database is asked for, on a free port, and gone with
 * its files when the JVM ends in any way but a kill.
 */
public final class PostgresServer {
    private static final String WORKING_DIRECTORY = "ot.epg.working-dir";
    private static final AtomicInteger DATABASES = new AtomicInteger();

    private PostgresServer() {}

    /** Starts once, when it is first used. */
    private static final class Running {
        static final EmbeddedPostgres SERVER = start();
    }

    /** A database of Maestro's tables without a row, of which others are copies. */
    private static final class Prepared {
        static final String NAME = prepare();

        private static String prepare() {
            String name = create("maestro_prepared", "");
            Store.postgres(connectTo(url(name)), null, text -> text).close();
            return name;
        }
    }

    /** An empty database of its own for each call. */
    public static DataSource newDatabase() {
        return connectTo(newDatabaseUrl());
    }

    /** The JDBC URL of an empty database; another process may use it, too, while this JVM lives. */
    public static String newDatabaseUrl() {
        return url(create("maestro_" + DATABASES.incrementAndGet(), ""));
    }

    /** As {@link #newDatabaseUrl}, but with the tables of a record: making them is most of what a small test computes. */
    public static String newRecordUrl() {
        return url(create("maestro_" + DATABASES.incrementAndGet(), " TEMPLATE " + Prepared.NAME));
    }

    private static String create(String name, String template) {
        try (Connection connection = Running.SERVER.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + name + template);
        } catch (SQLException e) {
            throw new IllegalStateException("the database " + name + " could not be made", e);
        }
        return name;
    }

    private static String url(String name) {
        return Running.SERVER.getJdbcUrl("postgres", name);
    }

    /** A new connection for each use, without a pool. */
    public static DataSource connectTo(String url) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setURL(url);
        return dataSource;
    }

    private static EmbeddedPostgres start() {
        Path directory;
        try {
            directory = MemoryTempDir.create("maestro-postgres");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Path log = directory.resolve("server.log");
        // Where it unpacks the server, once for all JVMs: that takes each one 6 seconds.
        System.setProperty(
                WORKING_DIRECTORY,
                Path.of("target", "postgres").toAbsolutePath().toString());
        try {
            EmbeddedPostgres server = EmbeddedPostgres.builder()
                    .setDataDirectory(directory.resolve("data"))
                    .setOutputRedirector(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .setErrorRedirector(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    // How long a lock is waited for before the server looks whether it will ever come.
                    .setServerConfig("deadlock_timeout", "100ms")
                    // Would look through all databases of all tests again and again.
                    .setServerConfig("autovacuum", "off")
                    .setPGStartupWait(Duration.ofSeconds(60))
                    .setRegisterShutdownHook(false)
                    .start();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server, directory)));
            return server;
        } catch (IOException | RuntimeException e) {
            String said = read(log);
            delete(directory);
            throw new IllegalStateException(
                    "PostgreSQL did not start (as root it needs the right to use unshare): " + said, e);
        } finally {
            System.clearProperty(WORKING_DIRECTORY);
        }
    }

    private static void stop(EmbeddedPostgres server, Path directory) {
        try {
            server.close();
        } catch (IOException e) {
            e.printStackTrace();
        } finally {
            delete(directory);
        }
    }

    private static String read(Path log) {
        try {
            return Files.exists(log) ? Files.readString(log) : "";
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static void delete(Path directory) {
        List<Path> paths;
        try (Stream<Path> all = Files.walk(directory)) {
            paths = all.sorted(Comparator.reverseOrder()).toList();
            for (Path path : paths) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
