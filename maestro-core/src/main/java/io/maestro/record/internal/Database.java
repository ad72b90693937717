package io.maestro.record.internal;

import io.maestro.record.StoreException;
import io.maestro.record.StoreUnavailableException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/** What differs between the databases that can hold a record; everything else is plain SQL. */
public interface Database {
    /**
     * Opens a connection, in auto-commit mode.
     *
     * @throws StoreUnavailableException when the database cannot be reached
     * @throws StoreException when the connection cannot be opened for another reason
     */
    Statements connect();

    /**
     * Makes the tables when they are missing.
     *
     * @throws StoreException when the database is not usable: of somebody else, or of another version of Maestro
     */
    void prepare(Statements statements);

    /**
     * Begins a transaction that writes.
     *
     * @return names it for {@link #isCommitted}
     * @throws StoreException when this record must not be written to any more
     */
    String begin(Statements statements) throws SQLException;

    /**
     * Whether a transaction whose commit was not answered is there.
     *
     * @param statements of a new connection
     * @return empty when the database cannot tell
     * @throws SQLException also while it is still being committed
     */
    default Optional<Boolean> isCommitted(Statements statements, String transaction) throws SQLException {
        return Optional.empty();
    }

    /** Gives space back that is free since rows were deleted; does nothing where the database does so by itself. */
    default void shrink() {}

    /** Whether a failure is the fault of the row that was written: others in the same transaction may go through. */
    boolean isFaultOfRow(SQLException failure);

    /** Whether a connection is of no use any more after a failure: what was not committed is rolled back. */
    boolean isLost(Connection connection, SQLException failure);

    /**
     * Says what failed, where, why, and what to do; a {@link StoreUnavailableException} where it may go away by itself.
     *
     * @param action for example {@code "could not write a message"}
     */
    StoreException failure(String action, Throwable cause);

    /** The SQL that it wants. */
    Dialect dialect();

    /** For people; without credentials. */
    String location();
}
