package io.maestro.record.internal;

import io.maestro.internal.PersonName;
import io.maestro.record.AuditLog;
import io.maestro.record.AuditLog.Approval;
import io.maestro.record.AuditLog.Effect;
import io.maestro.record.StoreException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The requests of a store on which people decide. A request is open until it has its one reply: what a person decided, or that
 * nobody did in time. It is withdrawn, which is a reply as well, by the write that takes its story out of the state from which it
 * was asked; a story that is suspended goes back there. Of several who reply at once, in whatever process, exactly one counts. Safe for use by several threads and processes.
 *
 * <p>Each belongs to an effect, whose reply is its own.
 */
public final class DecisionRequests {
    /** The decision in the reply of a request that was withdrawn. */
    public static final String WITHDRAWN = "WITHDRAWN";

    /** The decision in the reply of a request on which nobody decided in time. */
    public static final String TIMEOUT = "TIMEOUT";

    private static final String WITHDRAWAL = "{\"decision\":\"" + WITHDRAWN + "\",\"message\":\"\"}";

    private static final String ROWS = """
            SELECT effects.*, requests.due_at, requests.needed, stories.title AS story_title,
                stories.content AS story_content
            FROM effects JOIN requests ON requests.effect_id = effects.id
                JOIN stories ON stories.id = effects.story_id AND stories.attempt = effects.attempt
            WHERE\s""";

    private final GroupCommit writer;
    private final ReadConnection reader;
    private final RedactingRecords records;

    DecisionRequests(GroupCommit writer, ReadConnection reader, RedactingRecords records) {
        this.writer = writer;
        this.reader = reader;
        this.records = records;
    }

    /**
     * Writes a request before anybody is asked. One that is there already stays as it is. What has ended asks nobody.
     *
     * @param request without a reply
     * @param until when it is too late to reply
     * @param approvals how many people must approve before it is approved; 1 or more
     * @return the request as it stands, which may have its reply
     * @throws StoreException when the attempt at the story has ended
     */
    public Row open(AuditLog.Effect request, Instant until, int approvals) {
        if (request.reply() != null) {
            throw new IllegalArgumentException("request " + request.id() + " has a reply already");
        }
        if (approvals < 1) {
            throw new IllegalArgumentException("approvals must be 1 or more, is " + approvals);
        }
        Objects.requireNonNull(until, "until");
        Optional<Row> known = find(request.id());
        if (known.isPresent()) {
            return known.get();
        }
        Effect clean = records.clean(request);
        writer.write("request " + request.id(), database -> open(database, clean, until, approvals));
        return find(request.id())
                .orElseThrow(() -> new StoreException("request " + request.id() + " was removed meanwhile", null));
    }

    /**
     * The requests that can be answered now, in the order in which they were written.
     *
     * @param after the {@link AuditLog.Page#last()} of the page before; 0 for the first
     * @param most how many at most; 1 or more
     * @return a page; empty at the end
     */
    public AuditLog.Page<Row> pending(long after, int most) {
        int positive = Selects.positive(most);
        Instant now = Instant.now();
        return reader.read(database -> pending(database, after, positive, now)).get(0);
    }

    /** {@return the ids of all requests without a reply, those that are late as well} */
    public Set<String> pendingIds() {
        return Set.copyOf(reader.read(DecisionRequests::pendingIds));
    }

    /**
     * Looks for a request, open or not.
     *
     * @param id the request
     * @return the request as it stands; empty when there is none on which people decide
     */
    public Optional<Row> find(String id) {
        Objects.requireNonNull(id, "id");
        return reader.read(database -> find(database, id)).stream().findFirst();
    }

    /**
     * Writes what a person has decided, before anything is done about it. An approval counts when it is the last of those that
     * are needed, each of another person, whose name differs in more than letter case and blanks; everything else counts at once. What comes at the deadline or later is too late, and the
     * request has run out of time then.
     *
     * @param id the request
     * @param person who decides; empty for what says that nobody has
     * @param approves whether it is an approval
     * @param message what was said with it
     * @param reply what the request's reply becomes if this counts; JSON
     * @param at when
     * @return what has come of it
     */
    public ReplyStatus reply(String id, String person, boolean approves, String message, String reply, Instant at) {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(at, "at");
        String cleanPerson = records.clean(person);
        String cleanMessage = records.clean(message);
        String cleanReply = records.clean(reply);
        AtomicReference<ReplyStatus> verdict = new AtomicReference<>(ReplyStatus.UNKNOWN);
        writer.write(
                "a reply to request " + id,
                database -> verdict.set(reply(database, id, cleanPerson, approves, cleanMessage, cleanReply, at)));
        return Objects.requireNonNull(verdict.get());
    }

    private record Terms(int needed, Instant until) {}

    private static String late(Instant until) {
        return "{\"decision\":\"" + TIMEOUT + "\",\"message\":\"no reply until " + until + "\"}";
    }

    private static void open(Statements database, Effect effect, Instant until, int approvals) throws SQLException {
        if (database.query(
                        "SELECT 1 FROM stories WHERE id = ? AND attempt = ? AND state NOT IN ('DONE', 'ERROR')",
                        row -> 1,
                        effect.storyId(),
                        effect.attempt())
                .isEmpty()) {
            throw new StoreException(
                    "attempt " + effect.attempt() + " at story " + effect.storyId()
                            + " has ended: it asks nobody any more",
                    null);
        }
        if (database.query("SELECT 1 FROM effects WHERE id = ?", row -> 1, effect.id())
                .isEmpty()) {
            Inserts.effect(database, effect);
        }
        database.update(
                "INSERT INTO requests (effect_id, story_id, due_at, needed) VALUES (?, ?, ?, ?)"
                        + " ON CONFLICT (effect_id) DO NOTHING",
                effect.id(),
                effect.storyId(),
                until,
                approvals);
    }

    /** A story leaves the state in which an attempt, or an earlier one, has asked. */
    static void withdraw(Statements database, String storyId, int attempt, Instant at) throws SQLException {
        database.update("""
                UPDATE effects SET reply = ?, replied_at = ?
                WHERE reply IS NULL AND attempt <= ? AND id IN (SELECT effect_id FROM requests WHERE story_id = ?)""", WITHDRAWAL, at, attempt, storyId);
    }

    private static ReplyStatus reply(
            Statements database, String id, String person, boolean approves, String message, String reply, Instant at)
            throws SQLException {
        List<Terms> terms = database.query(
                "SELECT needed, due_at FROM requests WHERE effect_id = ?",
                row -> new Terms(row.getInt(1), Instant.parse(row.getString(2))),
                id);
        if (terms.isEmpty()) {
            return ReplyStatus.UNKNOWN;
        }
        // Changes nothing, but from here on nobody else can reply until this is committed.
        int open = database.update("UPDATE effects SET kind = kind WHERE id = ? AND reply IS NULL", id);
        if (open == 0) {
            return ReplyStatus.TOO_LATE;
        }
        int needed = terms.get(0).needed();
        Instant until = terms.get(0).until();
        if (!person.isEmpty() && !at.isBefore(until)) {
            Inserts.reply(database, id, late(until), at);
            return ReplyStatus.TOO_LATE;
        }
        if (approves && needed > 1 && approvals(database, id, person, message, at) < needed) {
            return ReplyStatus.MORE_NEEDED;
        }
        Inserts.reply(database, id, reply, at);
        return ReplyStatus.COUNTS;
    }

    private static int approvals(Statements database, String id, String person, String message, Instant at)
            throws SQLException {
        List<Approval> before = given(database, id);
        if (before.stream().anyMatch(one -> PersonName.isSame(one.person(), person))) {
            return before.size();
        }
        database.update("""
                INSERT INTO approvals (effect_id, story_id, person, message, timestamp)
                SELECT effect_id, story_id, ?, ?, ? FROM requests WHERE effect_id = ?""", person, message, at, id);
        return before.size() + 1;
    }

    private static List<Approval> given(Statements database, String id) throws SQLException {
        return database.query(
                "SELECT person, message, timestamp FROM approvals WHERE effect_id = ? ORDER BY seq",
                row -> new Approval(row.getString(1), row.getString(2), Instant.parse(row.getString(3))),
                id);
    }

    private static List<String> pendingIds(Statements database) throws SQLException {
        return database.query(
                "SELECT id FROM effects JOIN requests ON effect_id = id WHERE reply IS NULL", row -> row.getString(1));
    }

    private static List<Row> find(Statements database, String id) throws SQLException {
        return withApprovals(database, database.query(ROWS + "effects.id = ?", DecisionRequests::rowOf, id));
    }

    /** One page. */
    private static List<AuditLog.Page<Row>> pending(Statements database, long after, int most, Instant now)
            throws SQLException {
        List<Long> numbers = new ArrayList<>();
        List<Row> rows = database.query(
                ROWS + "effects.reply IS NULL AND effects.seq > ? AND requests.due_at > ? ORDER BY effects.seq LIMIT ?",
                row -> {
                    numbers.add(row.getLong("seq"));
                    return rowOf(row);
                },
                after,
                now,
                most);
        long last = numbers.isEmpty() ? after : numbers.get(numbers.size() - 1);
        return List.of(new AuditLog.Page<>(withApprovals(database, rows), last));
    }

    private static List<Row> withApprovals(Statements database, List<Row> rows) throws SQLException {
        List<Row> whole = new ArrayList<>();
        for (Row row : rows) {
            List<Approval> given =
                    row.approvals() > 1 ? given(database, row.effect().id()) : List.of();
            whole.add(new Row(row.effect(), row.storyTitle(), row.storyContent(), row.until(), row.approvals(), given));
        }
        return whole;
    }

    private static Row rowOf(ResultSet row) throws SQLException {
        return new Row(
                Selects.effectOf(row),
                row.getString("story_title"),
                row.getString("story_content"),
                Instant.parse(row.getString("due_at")),
                row.getInt("needed"),
                List.of());
    }

    /** What comes of somebody's reply. */
    public enum ReplyStatus {
        /** It is the reply to the request. */
        COUNTS,
        /** It is an approval of several that are needed, and is kept. */
        MORE_NEEDED,
        /** The request has its reply already, was withdrawn, or has run out of time. */
        TOO_LATE,
        /** There is no such request. */
        UNKNOWN
    }

    /**
     * A request on which people decide.
     *
     * @param effect what was asked, and the reply if there is one
     * @param storyTitle the story's title
     * @param storyContent what is to be done; Markdown
     * @param until when it is too late to reply
     * @param approvals how many people must approve
     * @param given the approvals so far where several are needed, oldest first
     */
    public record Row(
            Effect effect, String storyTitle, String storyContent, Instant until, int approvals, List<Approval> given) {
        /**
         * Copies the list.
         *
         * @param effect see the record
         * @param storyTitle see the record
         * @param storyContent see the record
         * @param until see the record
         * @param approvals see the record
         * @param given see the record
         */
        public Row {
            given = List.copyOf(given);
        }
    }
}
