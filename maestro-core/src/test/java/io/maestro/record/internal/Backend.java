package io.maestro.record.internal;

import io.maestro.record.PostgresServer;
import io.maestro.secrets.Redactor;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/** The databases that the contracts of the record are run on. */
enum Backend {
    SQLITE {
        @Override
        String newPlace(Path directory) {
            return "jdbc:sqlite:" + directory.resolve("not/yet/there/maestro.db");
        }
    },
    POSTGRES {
        @Override
        String newPlace(Path directory) {
            return PostgresServer.newDatabaseUrl();
        }

        @Override
        String newRecord(Path directory) {
            return PostgresServer.newRecordUrl();
        }
    };

    static final Redactor NONE = text -> text;

    /**
     * A place for a record that is not there yet.
     *
     * @return a JDBC URL, for this process and others
     */
    abstract String newPlace(Path directory);

    /** A record without a row: where it takes long to make the tables, they are there. */
    String newRecord(Path directory) {
        return newPlace(directory);
    }

    static Store open(String url) {
        return open(url, NONE);
    }

    static Store open(String url, Redactor redactor) {
        return url.startsWith("jdbc:sqlite:")
                ? Store.sqlite(Path.of(url.substring("jdbc:sqlite:".length())), redactor)
                : Store.postgres(PostgresServer.connectTo(url), null, redactor);
    }

    /** Past the store. */
    static Connection connect(String url) throws SQLException {
        return DriverManager.getConnection(url);
    }
}
