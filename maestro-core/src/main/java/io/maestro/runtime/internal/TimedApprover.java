package io.maestro.runtime.internal;

import io.maestro.internal.Texts;
import io.maestro.runtime.ToolApprover;
import io.maestro.runtime.ToolDecision;
import io.maestro.runtime.ToolInvocation;
import io.maestro.tools.ToolArguments;
import io.maestro.tools.ToolDefinition;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Waits for a host's decision no longer than it may take, on a thread of its own. Safe for use by several threads. */
public final class TimedApprover implements ToolApprover, AutoCloseable {
    private final ToolApprover host;
    private final Duration limit;
    private final Runnable onWait;
    private final Runnable onAnswer;
    private final AtomicInteger waiting = new AtomicInteger();
    private final ToolThreads threads = new ToolThreads(Duration.ofSeconds(2));

    /**
     * Has asked nobody yet.
     *
     * @param host decides
     * @param limit how long that may take
     * @param onWait told when the wait begins
     * @param onAnswer told when nobody is waited for any more
     */
    public TimedApprover(ToolApprover host, Duration limit, Runnable onWait, Runnable onAnswer) {
        this.host = host;
        this.limit = limit;
        this.onWait = onWait;
        this.onAnswer = onAnswer;
    }

    @Override
    public ToolDecision decide(
            ToolInvocation invocation, ToolDefinition tool, ToolArguments arguments, String question) {
        AtomicReference<@Nullable ToolDecision> answer = new AtomicReference<>();
        if (waiting.getAndIncrement() == 0) {
            onWait.run();
        }
        ToolThreads.RunOutcome outcome;
        try {
            outcome = threads.run(
                    () -> {
                        answer.set(host.decide(invocation, tool, arguments, question));
                        return null;
                    },
                    limit);
        } finally {
            if (waiting.decrementAndGet() == 0) {
                onAnswer.run();
            }
        }
        ToolDecision decision = answer.get();
        return switch (outcome.ending()) {
            case CANCELLED -> ToolDecision.deny("it was cancelled while somebody was asked");
            case TIMED_OUT ->
                ToolDecision.deny("somebody would have to allow it, and nobody has within " + Texts.seconds(limit));
            case FINISHED -> {
                if (outcome.failure() != null) {
                    yield ToolDecision.deny(
                            "who would have to allow it could not be asked: " + Texts.describe(outcome.failure()));
                }
                yield decision != null
                        ? decision
                        : ToolDecision.deny("somebody would have to allow it, and has given no answer");
            }
        };
    }

    @Override
    public void close() {
        threads.close();
    }
}
