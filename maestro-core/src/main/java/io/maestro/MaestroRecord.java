package io.maestro;

import io.maestro.inbox.Inbox;
import io.maestro.record.AuditLog;
import io.maestro.record.Cancellations;
import io.maestro.record.StoreException;
import io.maestro.record.StoreUnavailableException;
import io.maestro.record.internal.Store;
import io.maestro.secrets.Redactor;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Objects;
import javax.sql.DataSource;

/**
 * A record that is opened without a Maestro, also while one writes to it: to read it, to answer what waits for people, to cancel,
 * and to prune. Safe for use by several threads.
 */
public final class MaestroRecord implements AutoCloseable {
    private final Store store;

    private MaestroRecord(Store store) {
        this.store = store;
    }

    /**
     * Opens a record in an SQLite file, and creates the file and its directories when they are missing. Needs
     * {@code org.xerial:sqlite-jdbc} 3.37 or later on the class path or the module path. The caller closes it.
     *
     * <p>Several records may be open on one file, in one process or in several on the same machine; they take turns to write.
     * A file on a network drive is not safe.
     *
     * @param databaseFile the file, by custom {@code .maestro/maestro.db}; SQLite keeps two more beside it while it is open
     * @param redactor takes the secrets out of every text before it is written; where it throws, the text is not written
     * @return the open record
     * @throws StoreException when SQLite is missing or too old, or the file cannot be opened, is none of Maestro's, or was written by
     *     a newer Maestro
     */
    public static MaestroRecord sqlite(Path databaseFile, Redactor redactor) {
        return new MaestroRecord(Store.sqlite(databaseFile, redactor));
    }

    /**
     * Opens a record in PostgreSQL 12 or later, where several processes, also on several machines, work together. Nothing
     * else is accepted. The driver is the host's to bring. The caller closes it.
     *
     * <p>It takes two connections, one to write and one to read, and keeps both until it is closed; each read of its
     * {@linkplain #auditLog() log} takes a third and gives it back. A pool must have as many for each open record. A connection
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
     * @return the open record
     * @throws StoreException when the database cannot be reached or is no PostgreSQL 12 or later, and when its tables are
     *     of another program or of a newer Maestro
     */
    public static MaestroRecord jdbc(DataSource dataSource, Redactor redactor) {
        return new MaestroRecord(Store.postgres(dataSource, null, redactor));
    }

    /**
     * Opens a record in a schema of PostgreSQL, as {@link #jdbc(DataSource, Redactor)} does in the connections' current one.
     * Several records may be in one database, each in a schema of its own. The connections' search path is set while it
     * has them, and put back before they are closed; a proxy between driver and server must keep it for as long.
     *
     * @param dataSource gives connections to the database
     * @param schema 1 to 63 small letters of ASCII, digits and underscores, no digit first; made when it is not there, for which
     *     the user needs the right to create schemas in the database
     * @param redactor takes the secrets out of every text before it is written; where it throws, the text is not written
     * @return the open record
     * @throws StoreException as for {@link #jdbc(DataSource, Redactor)}
     */
    public static MaestroRecord jdbc(DataSource dataSource, String schema, Redactor redactor) {
        return new MaestroRecord(Store.postgres(dataSource, Objects.requireNonNull(schema, "schema"), redactor));
    }

    /** {@return all that was done, to read; usable until this is closed} Each read opens a connection and closes it. */
    public AuditLog auditLog() {
        return store.view();
    }

    /** {@return what waits for people; stories go on within about a second after an answer} */
    public Inbox inbox() {
        return new Inbox(store.requests(), () -> {});
    }

    /** {@return what people want to end} */
    public Cancellations cancellations() {
        return store.cancellations();
    }

    /**
     * Removes messages, calls of tools, requests, connections, changes of state and posts of stories and specifications that have
     * ended before a time, and older connections and posts of no story. The stories and specifications themselves stay, with what
     * models have used: what is done is not done again. An SQLite file becomes smaller. PostgreSQL wants the right to delete rows.
     *
     * @param before what ended later stays whole
     * @return how many stories and specifications were pruned
     * @throws StoreException when the record cannot be written; what was pruned until then stays so
     */
    public int prune(Instant before) {
        return store.prune(before);
    }

    /** Closes the record; a second call does nothing. */
    @Override
    public void close() {
        store.close();
    }
}
