package io.maestro.runtime.internal;

import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolException;
import io.maestro.tools.ToolResult;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is said of how a tool has ended. Safe for use by several threads. */
public final class Endings {
    /** The answer to a call that was cancelled in time. */
    public static final ToolResult NOT_BEGUN =
            ToolResult.error("The call was cancelled before it began; nothing was run.");

    private static final Logger LOG = LoggerFactory.getLogger(Endings.class);

    private final Cleaner cleaner;
    private final Duration stopGrace;

    /**
     * Says it.
     *
     * @param cleaner takes secrets out of what is logged
     * @param stopGrace how long a tool that was interrupted could take to stop
     */
    public Endings(Cleaner cleaner, Duration stopGrace) {
        this.cleaner = cleaner;
        this.stopGrace = stopGrace;
    }

    /**
     * What a tool has come to.
     *
     * @param call its call
     * @param outcome how it ended
     * @return the answer for the model
     */
    public ToolResult answer(ToolCall call, ToolThreads.Outcome outcome) {
        return switch (outcome.ending()) {
            case FINISHED -> finished(call, outcome);
            case TIMED_OUT ->
                stopped("'" + call.tool() + "' timed out after " + Texts.seconds(call.timeLimit()), outcome);
            case CANCELLED -> stopped("'" + call.tool() + "' was cancelled", outcome);
        };
    }

    private ToolResult finished(ToolCall call, ToolThreads.Outcome outcome) {
        Throwable failure = outcome.failure();
        if (failure instanceof ToolException) {
            return ToolResult.error(String.valueOf(failure.getMessage()));
        }
        if (failure instanceof InterruptedException) {
            return ToolResult.error("'" + call.tool() + "' was interrupted before it had finished.");
        }
        if (failure != null) {
            if (LOG.isDebugEnabled()) {
                LOG.debug("The tool {} failed: {}", call.tool(), cleaner.text(Texts.stackTrace(failure)));
            }
            return ToolResult.error("'" + call.tool() + "' failed: " + Texts.describe(failure));
        }
        ToolResult result = outcome.result();
        return result != null
                ? result
                : ToolResult.error("'" + call.tool() + "' is broken: it returned null instead of an answer. What it did"
                        + " is unknown.");
    }

    /** Keeps what it still had to say, such as the output of a command up to its end. */
    private ToolResult stopped(String what, ToolThreads.Outcome outcome) {
        if (outcome.stillRunning()) {
            return ToolResult.error(what + ", but has not stopped within " + Texts.seconds(stopGrace)
                    + " of being interrupted: it may still be running, and what it does may still take effect.");
        }
        ToolResult partial = outcome.result();
        if (partial == null) {
            return ToolResult.error(what + " and has stopped.");
        }
        ToolResult.Builder result = ToolResult.builder(
                        what + " and has stopped. Its answer up to then:\n" + partial.text())
                .error();
        partial.data().forEach(result::data);
        partial.exitCode().ifPresent(result::exitCode);
        return result.build();
    }
}
