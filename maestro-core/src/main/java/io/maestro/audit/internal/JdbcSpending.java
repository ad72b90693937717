package io.maestro.audit.internal;

import io.maestro.agent.CostScope;
import io.maestro.audit.Spending;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** Costs in tables, written like everything else. */
final class JdbcSpending implements Spending {
    private final GroupCommit writer;
    private final ReadConnection reader;
    private final SpendingRows rows;
    private final RedactingRecords records;

    JdbcSpending(GroupCommit writer, ReadConnection reader, SpendingRows rows, RedactingRecords records) {
        this.writer = writer;
        this.reader = reader;
        this.rows = rows;
        this.records = records;
    }

    @Override
    public Optional<Refusal> reserve(Request request, Map<CostScope, BigDecimal> caps) {
        Request clean = records.clean(request);
        Map<CostScope, BigDecimal> copy = Map.copyOf(caps);
        AtomicReference<Optional<Refusal>> refusal = new AtomicReference<>(Optional.empty());
        writer.write(
                "what a request to " + clean.model() + " may cost",
                database -> refusal.set(rows.reserve(database, clean, copy)));
        return Objects.requireNonNull(refusal.get());
    }

    @Override
    public void settle(Request request, BigDecimal dollars) {
        long nanodollars = SpendingRows.nanodollars(dollars);
        writer.write(
                "what a request of " + request.agentId() + " has cost",
                database -> rows.settle(database, request, nanodollars));
    }

    @Override
    public BigDecimal spent(CostScope scope, String id) {
        return SpendingRows.dollars(reader.read(database -> List.of(rows.spent(database, scope, id)))
                .get(0));
    }
}
