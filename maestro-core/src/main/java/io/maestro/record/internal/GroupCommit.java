package io.maestro.record.internal;

import io.maestro.error.MaestroException;
import io.maestro.internal.Uninterrupted;
import io.maestro.record.StoreException;
import io.maestro.record.StoreUnavailableException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes for many callers with one thread: all writes that wait are committed together, so that they share the wait for
 * the disk, and each caller goes on when its write is on the disk. A write that fails fails only its own caller. Where a commit
 * is not answered, the database is asked whether it is there, and what is not is written again: no caller has to know.
 */
final class GroupCommit implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GroupCommit.class);

    /** More than the queue can take when another process holds the lock: then all its batches time out in turn. */
    static final Duration PATIENCE = Duration.ofMinutes(2);

    /** One caller's rows, written in a transaction. May be run again after a rollback. */
    @FunctionalInterface
    interface Write {
        /**
         * Writes the rows.
         *
         * @throws StoreException when they contradict what is already there
         * @throws MaestroException when the caller asks for what another has; it comes with the caller's own stack
         */
        void apply(Statements database) throws SQLException;
    }

    private final Database database;
    private final Duration patience;
    private final Duration outage;
    private final WriteQueue queue = new WriteQueue();
    private final Thread thread;

    /** Of the writing thread alone; null when it was lost and must be opened again. */
    private @Nullable Statements statements;

    /**
     * Begins to write.
     *
     * @param patience how long a caller waits for its write, and {@link #close} for all of them
     * @param outage how long a write is tried again while the database cannot be reached
     */
    GroupCommit(Database database, Statements statements, Duration patience, Duration outage) {
        this.database = database;
        this.patience = patience;
        this.outage = outage;
        this.statements = statements;
        this.thread = new Thread(this::run, "maestro-record-writer");
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * Writes and waits until the rows are on the disk. An interrupt does not stop it: the thread's flag is set again
     * afterwards.
     *
     * @param what for the message, for example {@code "a message"}
     */
    void write(String what, Write write) {
        PendingWrite pending = new PendingWrite(write);
        long deadline = System.nanoTime() + patience.toNanos();
        WriteQueue.OfferResult offer = Uninterrupted.until(deadline, nanos -> queue.offer(pending, nanos));
        if (offer == WriteQueue.OfferResult.CLOSED) {
            throw new StoreException(
                    "the record " + database.location() + " is closed: " + what + " was not written", null);
        }
        boolean finished = offer == WriteQueue.OfferResult.TAKEN && Uninterrupted.until(deadline, pending::await);
        if (!finished) {
            throw new StoreException(
                    "the record " + database.location() + " did not answer within " + patience.toSeconds() + " s: "
                            + what + " may not have been written; check its disk and who else uses it",
                    null);
        }
        Throwable failure = pending.failure();
        if (failure instanceof LeaseLostException lost) {
            // With the caller's own stack.
            throw new LeaseLostException(
                    "the record " + database.location() + " did not take " + what + ": " + lost.getMessage());
        }
        if (failure instanceof MaestroException refused && !(failure instanceof StoreException)) {
            throw new MaestroException(String.valueOf(refused.getMessage()));
        }
        if (failure != null) {
            throw database.failure("could not take " + what, failure);
        }
    }

    private void run() {
        List<PendingWrite> batch = queue.nextBatch();
        while (!batch.isEmpty()) {
            try {
                commit(batch, new BackOff(outage));
            } catch (Throwable e) { // whatever it is: nobody may wait for ever
                batch.forEach(pending -> pending.finish(e));
                discard();
            }
            batch = queue.nextBatch();
        }
        discard();
    }

    private void commit(List<PendingWrite> batch, BackOff backOff) {
        @Nullable String begun = null;
        boolean committing = false;
        try {
            Statements open = open();
            begun = database.begin(open);
            for (PendingWrite pending : batch) {
                pending.write().apply(open);
            }
            committing = true;
            open.connection().commit();
            batch.forEach(pending -> pending.finish(null));
        } catch (SQLException | RuntimeException e) {
            if (isLost(e)) {
                discard();
                if (begun != null && committing && isCommitted(begun, e, backOff)) {
                    batch.forEach(pending -> pending.finish(null));
                } else if (backOff.hasTime()) {
                    // Nothing of the batch is there.
                    Uninterrupted.pause(backOff.pause());
                    commit(batch, backOff);
                } else {
                    batch.forEach(pending -> pending.finish(e));
                }
                return;
            }
            rollback();
            if (begun == null || batch.size() == 1 || !isFaultOfOne(e)) {
                batch.forEach(pending -> pending.finish(e));
                return;
            }
            for (PendingWrite pending : batch) {
                commit(List.of(pending), backOff);
            }
        }
    }

    private boolean isLost(Exception failure) {
        return statements == null
                ? failure instanceof StoreUnavailableException
                : failure instanceof SQLException sql && database.isLost(statements.connection(), sql);
    }

    /**
     * Looks up whether a transaction is there whose commit was not answered, with a connection of its own.
     *
     * @throws StoreUnavailableException when that cannot be told
     */
    private boolean isCommitted(String transaction, Exception lost, BackOff backOff) {
        while (true) {
            try {
                Optional<Boolean> committed = database.isCommitted(open(), transaction);
                rollback();
                if (committed.isPresent()) {
                    return committed.get();
                }
                break;
            } catch (SQLException | StoreException e) {
                lost.addSuppressed(e);
                discard();
                if (!backOff.hasTime()) {
                    break;
                }
            }
            Uninterrupted.pause(backOff.pause());
        }
        throw new StoreUnavailableException(
                "the connection was lost during the commit, so that it may have been written or not; read the record"
                        + " to see what is there [" + lost.getMessage() + "]",
                lost);
    }

    private boolean isFaultOfOne(Exception failure) {
        return !(failure instanceof SQLException e) || database.isFaultOfRow(e);
    }

    private Statements open() throws SQLException {
        Statements open = statements == null ? database.connect() : statements;
        statements = open;
        open.connection().setAutoCommit(false);
        return open;
    }

    private void rollback() {
        try {
            if (statements != null) {
                statements.connection().rollback();
            }
        } catch (SQLException e) {
            // SQLite rolls back by itself after some failures; the driver's idea of the transaction is wrong then.
            LOG.debug("The record's connection is opened again: {}", e.toString());
            discard();
        }
    }

    private void discard() {
        try {
            if (statements != null) {
                statements.close();
            }
        } catch (SQLException e) {
            LOG.warn("The record {} could not be closed in order: {}", database.location(), e.toString());
        } finally {
            statements = null;
        }
    }

    /** Writes what waits, then ends. */
    @Override
    public void close() {
        queue.close();
        boolean ended = Uninterrupted.until(System.nanoTime() + patience.toNanos(), nanos -> {
            TimeUnit.NANOSECONDS.timedJoin(thread, nanos);
            return !thread.isAlive();
        });
        if (!ended) {
            LOG.warn("The record {} is still being written: it does not answer", database.location());
        }
    }
}
