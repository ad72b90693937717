package io.maestro.audit;

import io.maestro.audit.internal.JdbcStore;
import java.nio.file.Path;
import java.util.Objects;
import javax.sql.DataSource;

/** Opens records. */
public final class Stores {
    private Stores() {}

    /**
     * Opens a record in an SQLite file, and creates the file and its directories when they are missing. Needs
     * {@code org.xerial:sqlite-jdbc} 3.37 or later on the class path or the module path. The caller closes the store.
     *
     * <p>Several stores may be open on one file, in one process or in several on the same machine; they take turns to write.
     * A file on a network drive is not safe.
     *
     * @param databaseFile the file, by custom {@code .maestro/maestro.db}; SQLite keeps two more beside it while it is open
     * @param redactor takes the secrets out of every text before it is written; where it throws, the text is not written
     * @return the open store
     * @throws StoreException when SQLite is missing or too old, or the file cannot be opened, is none of Maestro's, or was written by
     *     a newer Maestro
     */
    public static Store sqlite(Path databaseFile, Redactor redactor) {
        return JdbcStore.sqlite(databaseFile, redactor);
    }

    /**
     * Opens a record in PostgreSQL 12 or later, where several processes, also on several machines, work together. Nothing
     * else is accepted. The driver is the host's to bring. The caller closes the store.
     *
     * <p>The store takes two connections, one to write and one to read, and keeps both until it is closed; each read of its
     * {@linkplain Store#view() view} takes a third and gives it back. A pool must have as many for each open store. A connection
     * that was lost is opened again, for up to 15 seconds; after that a {@link StoreUnavailableException} is thrown. Where
     * a commit was not answered, the server is asked whether it is there, and what is not is written again; only where it cannot
     * tell, because it was started again or another one has taken its place, the exception says that it may have been written or
     * not. A server that does not
     * answer is noticed by the driver alone: set its time limits, for PostgreSQL's own {@code socketTimeout} in seconds.
     *
     * <p>The tables are made in the connections' current schema when they are missing; for that, and then only, the user
     * needs the right to create tables and functions there. Other tables may be in that schema, as long as none has the name
     * of one of Maestro's. The database must have the encoding UTF8.
     *
     * @param dataSource gives connections to the database
     * @param redactor takes the secrets out of every text before it is written; where it throws, the text is not written
     * @return the open store
     * @throws StoreException when the database cannot be reached or is no PostgreSQL 12 or later, and when its tables are
     *     of another program or of a newer Maestro
     */
    public static Store jdbc(DataSource dataSource, Redactor redactor) {
        return JdbcStore.postgres(dataSource, null, redactor);
    }

    /**
     * Opens a record in a schema of PostgreSQL, as {@link #jdbc(DataSource, Redactor)} does in the connections' current one.
     * Several records may be in one database, each in a schema of its own. The connections' search path is set while the store
     * has them, and put back before they are closed; a proxy between driver and server must keep it for as long.
     *
     * @param dataSource gives connections to the database
     * @param schema 1 to 63 small letters of ASCII, digits and underscores, no digit first; made when it is not there, for which
     *     the user needs the right to create schemas in the database
     * @param redactor takes the secrets out of every text before it is written; where it throws, the text is not written
     * @return the open store
     * @throws StoreException as for {@link #jdbc(DataSource, Redactor)}
     */
    public static Store jdbc(DataSource dataSource, String schema, Redactor redactor) {
        return JdbcStore.postgres(dataSource, Objects.requireNonNull(schema, "schema"), redactor);
    }
}
