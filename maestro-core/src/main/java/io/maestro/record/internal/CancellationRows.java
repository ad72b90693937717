package io.maestro.record.internal;

import io.maestro.record.Cancellation;
import io.maestro.record.Cancellations.Status;
import io.maestro.story.ArchitectState;
import io.maestro.story.CoderState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The tables of cancellations. {@code cancellations} has all of them; {@code open_cancellations} names what is to end, until
 * the write that ends it. The id of a specification stands in {@code story_id}, too.
 */
final class CancellationRows {
    private static final String OPEN = """
            SELECT one.* FROM open_cancellations AS ends JOIN cancellations AS one
                ON one.story_id = ends.story_id AND one.name = ends.name
            WHERE one.seq = (SELECT max(seq) FROM cancellations WHERE story_id = ends.story_id AND name = ends.name)""";

    private final Dialect dialect;

    CancellationRows(Dialect dialect) {
        this.dialect = dialect;
    }

    /** Who asks why. */
    record Asker(String person, String message, Instant at) {}

    private record AttemptRow(int number, CoderState state) {}

    /** Empty when there is neither a story nor a specification with that id. */
    Optional<Status> ask(Statements database, String id, Asker asker) throws SQLException {
        List<AttemptRow> story = latest(database, id);
        if (isOpen(story)) {
            return Optional.of(ask(database, Leases.story(id), id, story.get(0).number(), asker));
        }
        List<ArchitectState> spec = database.query(
                "SELECT state FROM specs WHERE id = ?" + dialect.notChanging(),
                row -> ArchitectState.valueOf(row.getString(1)),
                id);
        if (spec.isEmpty() || spec.get(0).isFinal()) {
            return story.isEmpty() && spec.isEmpty() ? Optional.empty() : Optional.of(Status.ENDED);
        }
        // Its stories may run in other processes than the one that leads it.
        for (String each : database.query(
                "SELECT DISTINCT id FROM stories WHERE spec_id = ? ORDER BY id", row -> row.getString(1), id)) {
            List<AttemptRow> attempt = latest(database, each);
            if (isOpen(attempt)) {
                ask(database, Leases.story(each), each, attempt.get(0).number(), asker);
            }
        }
        return Optional.of(ask(database, Leases.spec(id), id, 0, asker));
    }

    /** It does not end before this transaction does. */
    private List<AttemptRow> latest(Statements database, String storyId) throws SQLException {
        return database.query(
                "SELECT attempt, state FROM stories WHERE id = ? ORDER BY attempt DESC LIMIT 1" + dialect.notChanging(),
                row -> new AttemptRow(row.getInt(1), CoderState.valueOf(row.getString(2))),
                storyId);
    }

    private static boolean isOpen(List<AttemptRow> latest) {
        return !latest.isEmpty() && !latest.get(0).state().isFinal();
    }

    private static Status ask(Statements database, String name, String id, int attempt, Asker asker)
            throws SQLException {
        int asked = database.update(
                "INSERT INTO open_cancellations (name, story_id) VALUES (?, ?) ON CONFLICT (name) DO NOTHING",
                name,
                id);
        if (asked == 0) {
            return Status.ASKED_BEFORE;
        }
        database.update("""
                INSERT INTO cancellations (story_id, name, attempt, person, message, timestamp)
                VALUES (?, ?, ?, ?, ?, ?)""", id, name, attempt, asker.person(), asker.message(), asker.at());
        return Status.ASKED;
    }

    /** An attempt has ended; but where another one has taken its place already, the cancellation is meant for that one. */
    static void storyEnded(Statements database, String storyId, int attempt) throws SQLException {
        database.update(
                "DELETE FROM open_cancellations WHERE name = ?"
                        + " AND NOT EXISTS (SELECT 1 FROM stories WHERE id = ? AND attempt > ?)",
                Leases.story(storyId),
                storyId,
                attempt);
    }

    static void specEnded(Statements database, String specId) throws SQLException {
        database.update("DELETE FROM open_cancellations WHERE name = ?", Leases.spec(specId));
    }

    static List<Cancellation> open(Statements database) throws SQLException {
        return database.query(OPEN + " ORDER BY one.seq", CancellationRows::cancellationOf);
    }

    static List<Cancellation> open(Statements database, String id) throws SQLException {
        return database.query(OPEN + " AND ends.story_id = ?", CancellationRows::cancellationOf, id);
    }

    static List<Cancellation> of(Statements database, String id) throws SQLException {
        return database.query(
                "SELECT * FROM cancellations WHERE story_id = ? ORDER BY seq", CancellationRows::cancellationOf, id);
    }

    private static Cancellation cancellationOf(ResultSet row) throws SQLException {
        return new Cancellation(
                row.getString("story_id"),
                row.getInt("attempt"),
                row.getString("person"),
                row.getString("message"),
                Instant.parse(row.getString("timestamp")));
    }
}
