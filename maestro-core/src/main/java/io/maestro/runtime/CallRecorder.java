package io.maestro.runtime;

import io.maestro.internal.LogContext;
import io.maestro.runtime.internal.CallJournal;
import io.maestro.runtime.internal.Cleaner;
import io.maestro.runtime.internal.Endings;
import io.maestro.runtime.internal.PersonTime;
import io.maestro.runtime.internal.Texts;
import io.maestro.telemetry.Telemetry;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolResult;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Has calls recorded and told, from their beginning to their end. Safe for use by several threads. */
final class CallRecorder {
    private final CallJournal journal;
    private final Cleaner cleaner;

    /**
     * A recorder.
     *
     * @param journal writes and tells
     * @param cleaner takes secrets out of answers, and bounds them
     */
    CallRecorder(CallJournal journal, Cleaner cleaner) {
        this.journal = journal;
        this.cleaner = cleaner;
    }

    /**
     * An answer.
     *
     * @param result what the tool answered
     * @param limit how many characters of it are kept
     * @param input with what the tool ran, where a policy has changed that; else null
     */
    record Bounded(ToolResult result, int limit, @Nullable String input) {
        /**
         * An answer of no tool's.
         *
         * @param result the answer
         */
        static Bounded of(ToolResult result) {
            return new Bounded(result, ToolDefinition.DEFAULT_RESULT_LIMIT, null);
        }

        /**
         * An answer of a tool that ran with what it was asked for.
         *
         * @param definition the tool
         * @param result the answer
         */
        static Bounded of(ToolDefinition definition, ToolResult result) {
            return new Bounded(result, definition.resultLimit(), null);
        }
    }

    /**
     * Has a call done, and records it.
     *
     * @param invocation what was asked for
     * @param tracking told of the answer, when it is recorded
     * @param person the time that people are waited for, which is none of the call's
     * @param work does it; not called when the thread is interrupted
     * @return the answer, without secrets
     */
    ToolResult recorded(ToolInvocation invocation, ToolTracker tracking, PersonTime person, Supplier<Bounded> work) {
        ToolInvocation.Caller caller = invocation.caller();
        String tool = Texts.clip(cleaner.text(invocation.tool()), 200);
        try (LogContext context = new LogContext()) {
            context.with(LogContext.STORY, caller.storyId())
                    .with(LogContext.AGENT, caller.agentId())
                    .with(LogContext.STATE, caller.state())
                    .with(LogContext.TOOL, tool);
            return recorded(invocation, tool, tracking, person, work);
        }
    }

    private ToolResult recorded(
            ToolInvocation invocation, String tool, ToolTracker tracking, PersonTime person, Supplier<Bounded> work) {
        // Interrupted threads can't write to every kind of store, so the status is put aside until the end.
        boolean interrupted = Thread.interrupted();
        Instant began = Instant.now();
        long start = System.nanoTime();
        try (Telemetry.Span span = journal.begin(invocation, tool, began);
                Telemetry.Scope scope = span.enter()) {
            Bounded answer = interrupted ? Bounded.of(Endings.NOT_BEGUN) : work.get();
            interrupted |= Thread.interrupted();
            ToolResult clean = cleaner.answer(answer.result, answer.limit);
            Duration took = Duration.ofNanos(System.nanoTime() - start - person.nanos());
            ToolInvocation ran = answer.input == null ? invocation : invocation.withInput(answer.input);
            journal.record(ran, tool, clean, began, took, span);
            tracking.onAnswer(ran, clean);
            journal.end(ran, tool, clean, took);
            return clean;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
