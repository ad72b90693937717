package io.maestro.claude.internal.coder;

import io.maestro.claude.ClaudeEvent;
import io.maestro.claude.ClaudeListener;
import io.maestro.llm.Usage;
import java.util.function.BiConsumer;

/** Counts by what the CLI says at the end of a turn, where no gateway counts. */
final class ResultUsage implements ClaudeListener {
    private final ClaudeListener next;
    private final BiConsumer<String, Usage> used;
    private volatile String model = "";

    ResultUsage(ClaudeListener next, BiConsumer<String, Usage> used) {
        this.next = next;
        this.used = used;
    }

    @Override
    public void onEvent(ClaudeEvent event) {
        if (event instanceof ClaudeEvent.Init init) {
            model = init.model();
        } else if (event instanceof ClaudeEvent.Result result && result.usage().totalTokens() > 0) {
            used.accept(model, result.usage());
        }
        next.onEvent(event);
    }
}
