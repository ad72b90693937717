package io.maestro.claude.internal.coder;

import io.maestro.claude.ClaudeEvent;
import io.maestro.claude.ClaudeListener;
import io.maestro.llm.Usage;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;

/**
 * Counts by what one process of the CLI says, where no gateway counts. What an answer has read counts when it begins, also of one
 * that is cut; the rest when the turn ends. What the CLI says there of each model is the sum since it began, with the answers that
 * were not streamed, but without those whose end it does not tell. For the thread that reads.
 */
final class ResultUsage implements ClaudeListener {
    private final ClaudeListener next;
    private final BiConsumer<String, Usage> used;

    /** What the API and the CLI may have behind the name of a model: a date, and the context that is asked for. */
    private static final Pattern SUFFIX = Pattern.compile("(-20\\d{6})?(\\[\\w+])?$");

    /** What was counted of answers that a sum has in it, by the model's plain name. */
    private final Map<String, Usage> counted = new HashMap<>();

    /** Answers that are being written, by the conversation. */
    private final Map<Optional<String>, ClaudeEvent.MessageStart> open = new HashMap<>();

    ResultUsage(ClaudeListener next, BiConsumer<String, Usage> used) {
        this.next = next;
        this.used = used;
    }

    @Override
    public void onEvent(ClaudeEvent event) {
        if (event instanceof ClaudeEvent.MessageStart start && !start.model().isEmpty()) {
            open.put(start.parent(), start);
            used.accept(start.model(), start.usage());
        } else if (event instanceof ClaudeEvent.MessageStop stop) {
            ClaudeEvent.MessageStart whole = open.remove(stop.parent());
            if (whole != null) {
                counted.merge(plain(whole.model()), whole.usage(), Usage::plus);
            }
        } else if (event instanceof ClaudeEvent.Result result) {
            result.models().forEach(this::count);
        }
        next.onEvent(event);
    }

    private void count(String model, Usage sum) {
        Usage before = counted.getOrDefault(plain(model), Usage.NONE);
        long cacheWrite = more(before.cacheWriteTokens(), sum.cacheWriteTokens());
        Usage more = new Usage(
                more(before.inputTokens(), sum.inputTokens()),
                more(before.outputTokens(), sum.outputTokens()),
                more(before.cacheReadTokens(), sum.cacheReadTokens()),
                cacheWrite,
                Math.min(cacheWrite, more(before.cacheWriteHourTokens(), sum.cacheWriteHourTokens())));
        counted.put(plain(model), before.plus(more));
        if (more.totalTokens() > 0) {
            used.accept(model, more);
        }
    }

    private static String plain(String model) {
        return SUFFIX.matcher(model).replaceFirst("");
    }

    private static long more(long before, long sum) {
        return Math.max(0, sum - before);
    }
}
