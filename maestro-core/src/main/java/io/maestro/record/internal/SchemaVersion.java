package io.maestro.record.internal;

import io.maestro.record.StoreException;
import java.sql.SQLException;

/**
 * Keeps Maestros of different versions from writing to one record: only one whose tables have
 * the version of this Maestro is opened, and a process that runs while another Maestro changes them stops at its next write.
 */
final class SchemaVersion {
    private SchemaVersion() {}

    /**
     * Refuses a record that this Maestro does not understand.
     *
     * @param version of its tables
     * @throws StoreException when it is another than that of this Maestro
     */
    static void check(int version, String location) {
        if (version != Tables.VERSION) {
            throw new StoreException(
                    "the record " + location
                            + (version > Tables.VERSION
                                    ? " was written by a newer Maestro"
                                    : " was written by an older Maestro")
                            + ": its tables have version " + version + ", and this Maestro knows version "
                            + Tables.VERSION + "; use the Maestro that wrote it, or another place for the record",
                    null);
        }
    }

    /**
     * Checks, in a transaction during which nobody can change the tables, that nobody has done so since the record was opened.
     *
     * @throws StoreException when the tables have another version by now
     */
    static void checkUnchanged(Statements database) throws SQLException {
        int version = database.query("SELECT max(version) FROM maestro_schema", row -> row.getInt(1))
                .get(0);
        if (version != Tables.VERSION) {
            throw new StoreException(
                    "its tables have version " + version + " now, and this Maestro knows version " + Tables.VERSION
                            + ": another Maestro has changed them since it was opened; end this process, and start it"
                            + " with the newer version",
                    null);
        }
    }
}
