package io.maestro.record.internal;

import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** PostgreSQL's failures that people can do something about; the texts are the beginnings of SQLSTATEs. */
enum PostgresError {
    LOST(
            "the connection was lost; check that the server runs and can be reached, then start again",
            "08",
            "57P01",
            "57P02",
            "57P03",
            "57P05",
            "25P03",
            "25P04"),
    LOGIN("the server refused the login; check the DataSource's user and password", "28"),
    PERMISSION(
            "the user lacks a permission; it must be able to read and write Maestro's tables, and to create them the first"
                    + " time",
            "42501"),
    NO_DATABASE("the database or the schema does not exist; create it", "3D", "3F"),
    READ_ONLY("the server takes no writes; connect to the primary one", "25006"),
    CONSTRAINT(
            "it contradicts what is already there: an id that is taken, or a session or story that was not written"
                    + " first",
            "23"),
    CONFLICT("it got into the way of another transaction, and was rolled back; try again", "40"),
    RESOURCES("the server is out of disk, memory or connections; free some, then start again", "53"),
    OTHER("see the cause");

    private final String advice;

    @SuppressWarnings("ImmutableEnumChecker") // made by List.of
    private final List<String> states;

    PostgresError(String advice, String... states) {
        this.advice = advice;
        this.states = List.of(states);
    }

    static PostgresError of(Throwable failure) {
        String state = state(failure);
        for (PostgresError error : values()) {
            if (state != null && error.states.stream().anyMatch(state::startsWith)) {
                return error;
            }
        }
        return isOfConnection(failure) ? LOST : OTHER;
    }

    /** Also a pool's, which may come without a SQLSTATE. */
    private static boolean isOfConnection(@Nullable Throwable failure) {
        return failure != null
                && (failure instanceof SQLTransientConnectionException
                        || failure instanceof SQLNonTransientConnectionException
                        || failure instanceof SQLRecoverableException
                        || isOfConnection(failure.getCause()));
    }

    /** Whether it may go away by itself. */
    boolean isPassing() {
        return this == LOST || this == CONFLICT || this == RESOURCES;
    }

    /** Of the first exception that has one: a pool wraps the driver's. */
    private static @Nullable String state(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql && sql.getSQLState() != null) {
                return sql.getSQLState();
            }
        }
        return null;
    }

    String explain(Throwable failure) {
        return advice + " [" + failure.getMessage() + "]";
    }
}
