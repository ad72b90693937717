package io.maestro.record.internal;

import io.maestro.record.AuditLog;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The stories whose merge was agreed to, in the order in which they came: a queue for each target branch, in the table
 * {@code merge_queue}. A story has one row, and with it its place, from its first wait until it ends; it {@code waits}, or stands
 * aside. Who is at the head leases it, see {@link Leases#merge}. Safe for use by several threads and processes.
 */
public final class MergeQueue {
    /** A row alone does not say that its story waits: its process may have died, or its attempt been given up. */
    private static final String FROM_WAITING =
            " FROM merge_queue AS queue JOIN stories AS story ON story.id = queue.story_id AND story.attempt = queue.attempt"
                    + " AND story.state IN ('PREPARE_MERGE', 'AWAIT_MERGE') AND queue.waits = 1 AND NOT EXISTS"
                    + " (SELECT 1 FROM stories AS later WHERE later.id = story.id AND later.attempt > story.attempt)";

    private final GroupCommit writer;
    private final ReadConnection reader;
    private final Dialect dialect;
    private final Leases leases;

    MergeQueue(GroupCommit writer, ReadConnection reader, Dialect dialect, Leases leases) {
        this.writer = writer;
        this.reader = reader;
        this.dialect = dialect;
        this.leases = leases;
    }

    /**
     * A story that waits.
     *
     * @param storyId the story
     * @param sessionId who has leased it, and so can merge it; null when nobody has, as where a process has died
     */
    public record WaitingMerge(String storyId, @Nullable String sessionId) {}

    /**
     * A story waits for its turn: at the place that this attempt has already, or at the end.
     *
     * @param sessionId who has leased it
     * @param target the branch
     * @return how many are before it, whether they wait or not
     * @throws LeaseLostException when another session works on the story
     */
    public int enter(String storyId, int attempt, String sessionId, String target) {
        Objects.requireNonNull(target, "target");
        AtomicInteger before = new AtomicInteger();
        writer.write("the place of story " + storyId + " in the merge queue", database -> {
            leases.check(database, Leases.story(storyId), sessionId);
            before.set(enter(database, storyId, attempt, target));
        });
        return before.get();
    }

    private static int enter(Statements database, String storyId, int attempt, String target) throws SQLException {
        database.update("""
                INSERT INTO merge_queue (story_id, attempt, target, place, waits)
                VALUES (?, ?, ?, (SELECT coalesce(max(place), 0) + 1 FROM merge_queue WHERE target = ?), 1)
                ON CONFLICT (story_id) DO UPDATE SET
                    place = CASE WHEN merge_queue.attempt = excluded.attempt AND merge_queue.target = excluded.target
                        THEN merge_queue.place ELSE excluded.place END,
                    attempt = excluded.attempt, target = excluded.target, waits = 1""", storyId, attempt, target, target);
        String before = "SELECT count(*) FROM merge_queue AS other JOIN merge_queue AS mine ON mine.story_id = ?"
                + " WHERE other.target = mine.target AND (other.place < mine.place"
                + " OR other.place = mine.place AND other.story_id < mine.story_id)";
        return database.query(before, row -> row.getInt(1), storyId).get(0);
    }

    /**
     * The stories that wait, in their order.
     *
     * @param target the branch
     */
    public List<WaitingMerge> waiting(String target) {
        return reader.read(database -> database.query(
                "SELECT queue.story_id, lease.session_id" + FROM_WAITING + " LEFT JOIN leases AS lease"
                        + " ON lease.name = 'story/' || queue.story_id AND lease.expires_at > " + dialect.clock()
                        + " WHERE queue.target = ? ORDER BY queue.place, queue.story_id",
                row -> new WaitingMerge(row.getString(1), row.getString(2)),
                target));
    }

    /**
     * A story does not wait for its turn now, and keeps its place. Nothing happens when another session has it.
     *
     * @param sessionId who has leased it
     */
    public void standAside(String storyId, String sessionId) {
        writer.write(
                "story " + storyId + " beside the merge queue",
                database -> database.update(
                        "UPDATE merge_queue SET waits = 0 WHERE story_id = ? AND EXISTS (SELECT 1 FROM leases"
                                + " WHERE name = ? AND session_id = ? AND expires_at IS NOT NULL)",
                        storyId,
                        Leases.story(storyId),
                        sessionId));
    }

    /**
     * Lets a story have the next turn of its target branch.
     *
     * @return false when it is in no queue
     */
    public boolean moveToHead(String storyId) {
        AtomicReference<Boolean> moved = new AtomicReference<>(false);
        writer.write(
                "the place of story " + storyId + " in the merge queue",
                database -> moved.set(database.update("""
                        UPDATE merge_queue SET place = (SELECT min(other.place) - 1 FROM merge_queue AS other
                            WHERE other.target = merge_queue.target)
                        WHERE story_id = ?""", storyId) > 0));
        return Boolean.TRUE.equals(moved.get());
    }

    /** A story has ended. */
    static void leave(Statements database, String storyId) throws SQLException {
        database.update("DELETE FROM merge_queue WHERE story_id = ?", storyId);
    }

    /** The rows of {@link AuditLog#mergeQueue}. */
    public static List<AuditLog.QueuedMerge> all(Statements database) throws SQLException {
        return database.query(
                "SELECT story_id, attempt, target, story_id IN (SELECT queue.story_id" + FROM_WAITING
                        + ") AS waits FROM merge_queue ORDER BY target, place, story_id",
                row -> new AuditLog.QueuedMerge(
                        row.getString("target"),
                        row.getString("story_id"),
                        row.getInt("attempt"),
                        row.getBoolean("waits")));
    }
}
