package io.maestro.runtime.internal;

import io.maestro.telemetry.Telemetry;
import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolResult;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** How tools are executed. Safe for use by several threads. */
public final class ToolExecution implements AutoCloseable {
    private final ToolThreads threads;
    private final Endings endings;
    private final Telemetry telemetry;

    /**
     * Executes them.
     *
     * @param cleaner takes secrets out of what is logged
     * @param stopGrace how long a tool that is interrupted may take to stop
     * @param telemetry what is current there is current for the tool, too
     */
    public ToolExecution(Cleaner cleaner, Duration stopGrace, Telemetry telemetry) {
        this.threads = new ToolThreads(stopGrace);
        this.endings = new Endings(cleaner, stopGrace);
        this.telemetry = telemetry;
    }

    /**
     * Executes a tool on a thread of its own, and waits for it.
     *
     * @param call the call
     * @param children the calls that the tool makes; it knows how long the tool may go on
     * @param tool what is done
     * @return the answer for the model
     */
    public ToolResult of(ToolCall call, ChildCalls children, Callable<@Nullable ToolResult> tool) {
        ToolThreads.Outcome outcome;
        Telemetry.Context context = telemetry.current();
        try (children) {
            outcome = threads.run(
                    () -> {
                        try (children;
                                Telemetry.Scope scope = context.enter()) {
                            return tool.call();
                        }
                    },
                    children::nanosLeft);
        } catch (RejectedExecutionException e) {
            return ToolResult.error("The call was cancelled before it began: Maestro is being closed.");
        }
        children.requireRecorded();
        return endings.answer(call, outcome);
    }

    /** Interrupts the tools that still run and waits for them for a short while. */
    @Override
    public void close() {
        threads.close();
    }
}
