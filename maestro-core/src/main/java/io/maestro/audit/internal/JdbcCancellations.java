package io.maestro.audit.internal;

import io.maestro.audit.Cancellations;
import io.maestro.internal.PersonName;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** Wishes that work ends in tables, written like everything else. */
final class JdbcCancellations implements Cancellations {
    private final GroupCommit writer;
    private final ReadConnection reader;
    private final CancellationRows rows;
    private final RedactingRecords records;

    JdbcCancellations(GroupCommit writer, ReadConnection reader, CancellationRows rows, RedactingRecords records) {
        this.writer = writer;
        this.reader = reader;
        this.rows = rows;
        this.records = records;
    }

    @Override
    public Status ask(String id, String person, String message) {
        Objects.requireNonNull(id, "id");
        PersonName.check("who asks?", person);
        if (message.length() > MOST_CHARACTERS) {
            throw new IllegalArgumentException(
                    "a message has at most " + MOST_CHARACTERS + " characters, not " + message.length());
        }
        CancellationRows.Asker asker =
                new CancellationRows.Asker(records.clean(person), records.clean(message), Instant.now());
        AtomicReference<Optional<Status>> status = new AtomicReference<>(Optional.empty());
        writer.write("the cancellation of " + id, database -> status.set(rows.ask(database, id, asker)));
        return Objects.requireNonNull(status.get())
                .orElseThrow(() -> new IllegalArgumentException(
                        "there is no story and no specification '" + id + "' in the record"));
    }

    @Override
    public List<Wish> open() {
        return reader.read(CancellationRows::open);
    }

    @Override
    public Optional<Wish> open(String leased) {
        Objects.requireNonNull(leased, "leased");
        return reader.read(database -> CancellationRows.open(database, leased)).stream()
                .findFirst();
    }

    @Override
    public List<Wish> of(String id) {
        Objects.requireNonNull(id, "id");
        return reader.read(database -> CancellationRows.of(database, id));
    }
}
