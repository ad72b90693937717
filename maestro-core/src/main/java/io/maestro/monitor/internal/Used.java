package io.maestro.monitor.internal;

import io.maestro.record.AuditLog;
import io.maestro.record.CostQuery;
import io.maestro.record.ResultPage;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a story or a specification has used; null dollars where a price is not known. */
record Used(long tokens, @Nullable BigDecimal dollars) {
    static final Used NOTHING = new Used(0, BigDecimal.ZERO);

    private static final int PAGE = 500;

    /** By one of them, from an attempt on. */
    static Used by(AuditLog log, String id, int fromAttempt) {
        long tokens = 0;
        BigDecimal dollars = BigDecimal.ZERO;
        for (AuditLog.Cost cost : log.costs(id)) {
            if (cost.attempt() < fromAttempt) {
                continue;
            }
            tokens += cost.usage().totalTokens();
            dollars = dollars == null || cost.dollars() == null ? null : dollars.add(cost.dollars());
        }
        return new Used(tokens, dollars);
    }

    /** By each that has used something. */
    static Map<String, Used> byEach(AuditLog log) {
        Map<String, Used> all = new HashMap<>();
        CostQuery query = CostQuery.by(CostQuery.Key.STORY).most(PAGE).build();
        ResultPage<AuditLog.CostSum> page = log.costs(query);
        while (true) {
            page.rows()
                    .forEach(sum -> all.put(
                            sum.key(), new Used(sum.usage().totalTokens(), sum.unpriced() > 0 ? null : sum.dollars())));
            if (page.next().isEmpty()) {
                return all;
            }
            page = log.costs(query.after(page.next().get()));
        }
    }

    @Nullable
    String text() {
        return dollars == null ? null : dollars.toPlainString();
    }
}
