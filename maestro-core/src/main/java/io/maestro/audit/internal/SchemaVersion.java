package io.maestro.audit.internal;

import io.maestro.audit.StoreException;
import java.sql.SQLException;

/**
 * Keeps Maestros of different versions from writing to one record: whoever opens it upgrades it, a newer one is refused, and
 * a process that runs while a newer one upgrades the record stops at its next write.
 */
final class SchemaVersion {
    private SchemaVersion() {}

    /**
     * Refuses a record that this Maestro does not understand.
     *
     * @param version at least that of this Maestro
     * @throws StoreException when it is a newer one
     */
    static void check(int version, String location) {
        if (version != Tables.VERSION) {
            throw new StoreException(
                    "the record " + location + " was written by a newer Maestro: its tables have version " + version
                            + ", and this Maestro knows versions up to " + Tables.VERSION
                            + "; use the newer Maestro, or another place for the record",
                    null);
        }
    }

    /**
     * Checks, in a transaction during which nobody can upgrade the record, that nobody has done so since it was opened.
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
