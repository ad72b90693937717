package io.maestro.audit.internal;

import io.maestro.audit.AuditLog;
import io.maestro.audit.Requests;
import io.maestro.audit.Store.Effect;
import io.maestro.audit.StoreException;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

/** Requests in tables, written like everything else. */
final class JdbcRequests implements Requests {
    private final GroupCommit writer;
    private final ReadConnection reader;
    private final RedactingRecords records;

    JdbcRequests(GroupCommit writer, ReadConnection reader, RedactingRecords records) {
        this.writer = writer;
        this.reader = reader;
        this.records = records;
    }

    @Override
    public Row open(Effect request, Instant until, int approvals) {
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
        writer.write("request " + request.id(), database -> RequestRows.open(database, clean, until, approvals));
        return find(request.id())
                .orElseThrow(() -> new StoreException("request " + request.id() + " was removed meanwhile", null));
    }

    @Override
    public AuditLog.Page<Row> pending(long after, int most) {
        int positive = JdbcAuditLog.positive(most);
        Instant now = Instant.now();
        return reader.read(database -> RequestRows.pending(database, after, positive, now))
                .get(0);
    }

    @Override
    public Set<String> pendingIds() {
        return Set.copyOf(reader.read(RequestRows::pendingIds));
    }

    @Override
    public Optional<Row> find(String id) {
        Objects.requireNonNull(id, "id");
        return reader.read(database -> RequestRows.find(database, id)).stream().findFirst();
    }

    @Override
    public Verdict reply(String id, String person, boolean approves, String message, String reply, Instant at) {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(at, "at");
        String cleanPerson = records.clean(person);
        String cleanMessage = records.clean(message);
        String cleanReply = records.clean(reply);
        AtomicReference<Verdict> verdict = new AtomicReference<>(Verdict.UNKNOWN);
        writer.write(
                "a reply to request " + id,
                database -> verdict.set(
                        RequestRows.reply(database, id, cleanPerson, approves, cleanMessage, cleanReply, at)));
        return Objects.requireNonNull(verdict.get());
    }
}
