package io.maestro.record.internal;

import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Who works on what, where several processes share a store. Whoever wants to work on a story or a specification leases it,
 * renews the lease while it works, and gives it back. A lease that is not renewed expires, by the clock of the store: then
 * somebody else may go on. Safe for use by several threads and processes.
 *
 * <p>The tables of leases. A row of {@code leases} names the session that acquired last, for ever; {@code expires_at} is null
 * when it has given the lease back. {@code lease_holders} knows everybody who ever acquired: who is in there, but is not the
 * last one, has lost the lease.
 */
public final class Leases {
    private final GroupCommit writer;
    private final Dialect dialect;

    Leases(GroupCommit writer, Dialect dialect) {
        this.writer = writer;
        this.dialect = dialect;
    }

    /**
     * Names a story for a lease.
     *
     * @param storyId the story
     * @return what is leased
     */
    public static String story(String storyId) {
        return "story/" + storyId;
    }

    /**
     * Names a specification for a lease.
     *
     * @param specId the specification
     * @return what is leased
     */
    public static String spec(String specId) {
        return "spec/" + specId;
    }

    /**
     * Names the turn to be merged into a branch for a lease.
     *
     * @param target the branch
     * @return what is leased
     */
    public static String merge(String target) {
        return "merge/" + target;
    }

    /**
     * Leases the first of several that nobody holds. What the session holds itself is not leased to it again, nor is what it
     * has leased before and neither given back nor lost to another session: that can still be renewed.
     *
     * @param wanted in order of preference; see {@link #story} and {@link #spec}
     * @param sessionId who leases
     * @param time how long, unless it is renewed; at least 1 ms
     * @return what was leased; empty when somebody holds each of them, or is just writing about it
     */
    public Optional<String> acquire(List<String> wanted, String sessionId, Duration time) {
        List<String> names = List.copyOf(wanted);
        Objects.requireNonNull(sessionId, "sessionId");
        long millis = millis(time);
        if (names.isEmpty()) {
            return Optional.empty();
        }
        AtomicReference<Optional<String>> acquired = new AtomicReference<>(Optional.empty());
        writer.write("a lease", database -> acquired.set(acquire(database, names, sessionId, millis)));
        // As it was asked for: what the database holds of a name may be another text.
        return Objects.requireNonNull(acquired.get())
                .flatMap(stored -> names.stream()
                        .filter(name -> StorableText.of(name).equals(stored))
                        .findFirst());
    }

    /**
     * Renews all leases of a session that have not been taken over by another one.
     *
     * @param sessionId the session
     * @param time how long from now on; at least 1 ms
     * @return what it still holds
     */
    public Set<String> renew(String sessionId, Duration time) {
        Objects.requireNonNull(sessionId, "sessionId");
        long millis = millis(time);
        AtomicReference<Set<String>> held = new AtomicReference<>(Set.of());
        writer.write("the leases of session " + sessionId, database -> held.set(renew(database, sessionId, millis)));
        return Objects.requireNonNull(held.get());
    }

    /**
     * Gives a lease back; nothing happens when the session does not hold it.
     *
     * @param leased what was leased
     * @param sessionId who leased it
     */
    public void release(String leased, String sessionId) {
        Objects.requireNonNull(leased, "leased");
        Objects.requireNonNull(sessionId, "sessionId");
        writer.write("the end of a lease", database -> release(database, leased, sessionId));
    }

    /**
     * Ends the leases of all other sessions: for a store that only one process can use at a time, whose other sessions are
     * known to be dead.
     *
     * @param sessionId whose leases stay
     */
    public void releaseAllBut(String sessionId) {
        Objects.requireNonNull(sessionId, "sessionId");
        writer.write("the end of leases", database -> releaseAllBut(database, sessionId));
    }

    private static long millis(Duration time) {
        if (time.toMillis() < 1) {
            throw new IllegalArgumentException("a lease of " + time + " is over at once; give it at least 1 ms");
        }
        return time.toMillis();
    }

    private Optional<String> acquire(Statements database, List<String> wanted, String sessionId, long millis)
            throws SQLException {
        String names = JsonList.write(wanted);
        // In an order that all have in common, so that two who insert do not wait for each other.
        database.update(
                "INSERT INTO leases (name) SELECT name FROM " + dialect.wanted()
                        + " WHERE true ORDER BY name ON CONFLICT (name) DO NOTHING",
                names);
        List<String> free = database.query(
                "SELECT leases.name FROM " + dialect.wanted() + " JOIN leases ON leases.name = wanted.name"
                        + " WHERE leases.expires_at IS NULL"
                        // Its own one it can still renew: somebody of its own may be at work.
                        + " OR (leases.expires_at <= " + dialect.clock() + " AND leases.session_id <> ?)"
                        + " ORDER BY wanted.place LIMIT 1" + dialect.unlessLocked(),
                row -> row.getString(1),
                names,
                sessionId);
        for (String name : free) {
            database.update(
                    "UPDATE leases SET session_id = ?, expires_at = " + dialect.clock() + " + ? WHERE name = ?",
                    sessionId,
                    millis,
                    name);
            database.update(
                    "INSERT INTO lease_holders (name, session_id) VALUES (?, ?)"
                            + " ON CONFLICT (name, session_id) DO NOTHING",
                    name,
                    sessionId);
        }
        return free.stream().findFirst();
    }

    private Set<String> renew(Statements database, String sessionId, long millis) throws SQLException {
        database.update(
                "UPDATE leases SET expires_at = " + dialect.clock()
                        + " + ? WHERE session_id = ? AND expires_at IS NOT NULL",
                millis,
                sessionId);
        return new LinkedHashSet<>(database.query(
                "SELECT name FROM leases WHERE session_id = ? AND expires_at IS NOT NULL ORDER BY name",
                row -> row.getString(1),
                sessionId));
    }

    private void release(Statements database, String name, String sessionId) throws SQLException {
        database.update("UPDATE leases SET expires_at = NULL WHERE name = ? AND session_id = ?", name, sessionId);
    }

    private void releaseAllBut(Statements database, String sessionId) throws SQLException {
        database.update(
                "UPDATE leases SET expires_at = NULL WHERE session_id <> ? AND expires_at IS NOT NULL", sessionId);
    }

    /** Somebody's lease. */
    private record LeaseHolder(@Nullable String sessionId, boolean holds) {}

    /**
     * Refuses a session that does not, or does no longer, work on something; the answer stays true until the transaction ends.
     *
     * @throws LeaseLostException when another session holds the lease, or acquired it after this one
     */
    void check(Statements database, String name, String sessionId) throws SQLException {
        List<LeaseHolder> last = database.query(
                "SELECT session_id, coalesce(expires_at > " + dialect.clock() + ", false) AS holds FROM leases"
                        + " WHERE name = ?" + dialect.notChanging(),
                row -> new LeaseHolder(row.getString("session_id"), row.getBoolean("holds")),
                name);
        for (LeaseHolder holder : last) {
            String other = holder.sessionId();
            if (other == null || other.equals(StorableText.of(sessionId))) {
                return;
            }
            if (holder.holds() || hasHeld(database, name, sessionId)) {
                throw new LeaseLostException("%s is not leased to session %s: session %s %s; stop working on it"
                        .formatted(name, sessionId, other, holder.holds() ? "holds it" : "has taken it over"));
            }
        }
    }

    private static boolean hasHeld(Statements database, String name, String sessionId) throws SQLException {
        return !database.query(
                        "SELECT name FROM lease_holders WHERE name = ? AND session_id = ?",
                        row -> row.getString(1),
                        name,
                        sessionId)
                .isEmpty();
    }
}
