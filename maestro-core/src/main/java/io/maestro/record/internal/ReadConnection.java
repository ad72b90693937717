package io.maestro.record.internal;

import io.maestro.internal.Uninterrupted;
import io.maestro.record.StoreException;
import io.maestro.record.StoreUnavailableException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Reads for many callers, one after the other. What was lost is opened again; while the database cannot be reached, it is
 * tried again for some time.
 */
public final class ReadConnection implements AutoCloseable {
    private final Database database;
    private final Duration patience;

    /** Whether the connection is kept between reads. */
    private final boolean keep;

    /** Guards what follows. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition closing = lock.newCondition();

    /** Null when it was lost or is not kept, and once closed. */
    private @Nullable Statements statements;

    private boolean closed;

    ReadConnection(Database database, Duration patience, boolean keep) {
        this.database = database;
        this.patience = patience;
        this.keep = keep;
        this.statements = keep ? database.connect() : null;
    }

    /**
     * What is read.
     *
     * @param <T> of which type
     */
    @FunctionalInterface
    public interface Select<T> {
        List<T> rows(Statements database) throws SQLException;
    }

    /**
     * Reads.
     *
     * @param select what
     * @param <T> of which type
     * @return the rows
     * @throws StoreUnavailableException when the database could not be reached for some time
     */
    public <T> List<T> read(Select<T> select) {
        BackOff backOff = new BackOff(patience);
        lock.lock();
        try {
            while (true) {
                try {
                    return select.rows(open());
                } catch (SQLException | StoreException e) {
                    StoreException failure = e instanceof StoreException known ? known : failure((SQLException) e);
                    if (!(failure instanceof StoreUnavailableException) || !backOff.hasTime()) {
                        throw failure;
                    }
                } finally {
                    if (!keep) {
                        discard(null);
                    }
                }
                // Others may try meanwhile.
                long end = System.nanoTime() + backOff.pause().toNanos();
                Uninterrupted.until(end, closing::awaitNanos);
            }
        } finally {
            lock.unlock();
        }
    }

    /** {@return what it reads from} */
    public Database database() {
        return database;
    }

    private StoreException failure(SQLException e) {
        if (statements != null && database.isLost(statements.connection(), e)) {
            discard(e);
        }
        return database.failure("could not be read", e);
    }

    private Statements open() {
        if (closed) {
            throw new StoreException("the record " + database.location() + " is closed: nothing can be read", null);
        }
        Statements open = statements == null ? database.connect() : statements;
        statements = open;
        return open;
    }

    private void discard(@Nullable SQLException failure) {
        try {
            if (statements != null) {
                statements.close();
            }
        } catch (SQLException e) {
            if (failure != null) {
                failure.addSuppressed(e);
            }
        } finally {
            statements = null;
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            closing.signalAll();
            if (statements != null) {
                statements.close();
            }
        } catch (SQLException e) {
            throw database.failure("could not be closed in order", e);
        } finally {
            statements = null;
            lock.unlock();
        }
    }
}
