package io.maestro.record.internal;

import java.sql.SQLException;
import java.time.Duration;

/** SQLite's failures that people can do something about; the numbers are SQLite's primary result codes. */
enum SqliteError {
    BUSY(5, "another process has locked it; close that process, or use another project directory"),
    LOCKED(6, "another process has locked it; close that process, or use another project directory"),
    READONLY(8, "the file or its directory is read-only; make both writable, or use another project directory"),
    IOERR(10, "the disk failed to read or write; check the disk and its free space, then start again"),
    CORRUPT(11, "the file is damaged; move it away and start again, or restore a copy"),
    FULL(13, "the disk is full; free some space, then start again"),
    CANTOPEN(
            14,
            "it is a directory, or the file or its directory may not be read and written; check the permissions, or"
                    + " use another project directory"),
    CONSTRAINT(
            19,
            "it contradicts what is already there: an id that is taken, or a session or story that was not written"
                    + " first"),
    NOTADB(26, "the file is no SQLite database; move it away, or use another project directory"),
    /** No code of SQLite's: its driver unpacks a library of native code into a temporary directory and loads it there. */
    NO_LIBRARY(
            -2,
            "SQLite's native library could not be loaded; start the JVM with -Dorg.sqlite.tmpdir or -Djava.io.tmpdir"
                    + " set to a directory that can be written and from which programs may run"),
    OTHER(-1, "see the cause");

    private final int code;
    private final String advice;

    SqliteError(int code, String advice) {
        this.code = code;
        this.advice = advice;
    }

    static SqliteError of(Throwable failure) {
        Throwable root = root(failure);
        // The driver's exception by its name, as its classes may be out of sight; later attempts fail with the error.
        if (root instanceof UnsatisfiedLinkError
                || root.getClass().getName().endsWith(".NativeLibraryNotFoundException")) {
            return NO_LIBRARY;
        }
        if (failure instanceof SQLException sql) {
            for (SqliteError error : values()) {
                if (error.code == (sql.getErrorCode() & 0xff)) {
                    return error;
                }
            }
        }
        return OTHER;
    }

    String explain(Throwable failure, Duration busyTimeout) {
        String waited = this == BUSY ? " (waited " + busyTimeout.toMillis() + " ms)" : "";
        return advice + waited + " [" + root(failure).getMessage() + "]";
    }

    private static Throwable root(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }
}
