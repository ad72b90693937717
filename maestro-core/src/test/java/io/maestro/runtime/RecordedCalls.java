package io.maestro.runtime;

import io.maestro.record.AuditLog;
import io.maestro.secrets.CleanText;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BiConsumer;

/** A record of calls of tools in memory. */
public final class RecordedCalls implements BiConsumer<AuditLog.ToolExecution, CleanText> {
    public final List<AuditLog.ToolExecution> rows = Collections.synchronizedList(new ArrayList<>());

    @Override
    public void accept(AuditLog.ToolExecution call, CleanText answer) {
        if (Thread.currentThread().isInterrupted()) {
            throw new IllegalStateException("a store may not be able to write on an interrupted thread");
        }
        rows.add(call);
    }

    public AuditLog.ToolExecution last() {
        return rows.get(rows.size() - 1);
    }
}
