package io.maestro.claude.internal.coder;

import io.maestro.claude.ClaudeEvent;
import io.maestro.claude.ClaudeListener;
import io.maestro.llm.Usage;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * Counts by what one process of the CLI says at the end of a turn, where no gateway counts. What it says there of each model is
 * the sum since it began, with the answers that were not streamed. For the thread that reads.
 */
final class ResultUsage implements ClaudeListener {
    private final ClaudeListener next;
    private final BiConsumer<String, Usage> used;
    private final Map<String, Usage> counted = new HashMap<>();

    ResultUsage(ClaudeListener next, BiConsumer<String, Usage> used) {
        this.next = next;
        this.used = used;
    }

    @Override
    public void onEvent(ClaudeEvent event) {
        if (event instanceof ClaudeEvent.Result result) {
            result.models().forEach(this::count);
        }
        next.onEvent(event);
    }

    private void count(String model, Usage sum) {
        Usage before = counted.getOrDefault(model, Usage.NONE);
        Usage more = new Usage(
                more(before.inputTokens(), sum.inputTokens()),
                more(before.outputTokens(), sum.outputTokens()),
                more(before.cacheReadTokens(), sum.cacheReadTokens()),
                more(before.cacheWriteTokens(), sum.cacheWriteTokens()));
        counted.put(model, before.plus(more));
        if (more.totalTokens() > 0) {
            used.accept(model, more);
        }
    }

    private static long more(long before, long sum) {
        return Math.max(0, sum - before);
    }
}
