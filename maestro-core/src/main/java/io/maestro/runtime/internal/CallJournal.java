package io.maestro.runtime.internal;

import io.maestro.event.MaestroEvent;
import io.maestro.event.MaestroListener;
import io.maestro.internal.LogContext;
import io.maestro.internal.Texts;
import io.maestro.record.AuditLog;
import io.maestro.runtime.ToolInvocation;
import io.maestro.runtime.ToolRuntime;
import io.maestro.runtime.ToolTracker;
import io.maestro.schema.internal.InputReader;
import io.maestro.secrets.CleanText;
import io.maestro.telemetry.Telemetry;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolResult;
import java.time.Duration;
import java.time.Instant;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes calls into the record, tells a listener of them, and has each traced, from their beginning to their end. Safe for use by
 * several threads.
 */
public final class CallJournal {
    /** Of the parameters of a call that were too long to be read so many characters are recorded. */
    private static final int MOST_OF_PARAMETERS = 64 * 1024;

    private static final Logger LOG = LoggerFactory.getLogger(CallJournal.class);

    private final BiConsumer<AuditLog.ToolExecution, CleanText> record;
    private final MaestroListener listener;
    private final Cleaner cleaner;
    private final Telemetry telemetry;

    /**
     * A journal.
     *
     * @param record writes a call, with the text of its answer
     * @param listener who watches; what it throws is ignored
     * @param cleaner takes secrets out
     * @param telemetry has a span for each call that begins
     */
    public CallJournal(
            BiConsumer<AuditLog.ToolExecution, CleanText> record,
            MaestroListener listener,
            Cleaner cleaner,
            Telemetry telemetry) {
        this.record = record;
        this.listener = listener;
        this.cleaner = cleaner;
        this.telemetry = telemetry;
    }

    /**
     * An answer.
     *
     * @param result what the tool answered
     * @param limit how many characters of it are kept
     * @param ran what has run, where a policy has changed the arguments; else null
     */
    public record Bounded(
            ToolResult result, int limit, @Nullable ToolInvocation ran) {
        /**
         * An answer of no tool's.
         *
         * @param result the answer
         * @return the same, bounded as most tools' answers are
         */
        public static Bounded of(ToolResult result) {
            return new Bounded(result, ToolDefinition.DEFAULT_RESULT_LIMIT, null);
        }

        /**
         * An answer of a tool that ran with what it was asked for.
         *
         * @param definition the tool
         * @param result the answer
         * @return the same, bounded as its answers are
         */
        public static Bounded of(ToolDefinition definition, ToolResult result) {
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
    public ToolRuntime.Answer recorded(
            ToolInvocation invocation, ToolTracker tracking, PersonTime person, Supplier<Bounded> work) {
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

    private ToolRuntime.Answer recorded(
            ToolInvocation invocation, String tool, ToolTracker tracking, PersonTime person, Supplier<Bounded> work) {
        // Interrupted threads can't write to every kind of store, so the status is put aside until the end.
        boolean interrupted = Thread.interrupted();
        Instant began = Instant.now();
        long start = System.nanoTime();
        try (Telemetry.Span span = begin(invocation, tool, began);
                Telemetry.Scope scope = span.enter()) {
            Bounded answer = interrupted ? Bounded.of(ToolThreads.NOT_BEGUN) : work.get();
            interrupted |= Thread.interrupted();
            ToolRuntime.Answer clean = cleaner.answer(answer.result, answer.limit);
            Duration took = Duration.ofNanos(System.nanoTime() - start - person.nanos());
            ToolInvocation ran = answer.ran == null ? invocation : answer.ran;
            record(ran, tool, clean, began, took, span);
            tracking.onAnswer(ran, clean.result());
            end(ran, tool, clean.result(), took);
            return clean;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Tells that a call begins.
     *
     * @param invocation what was asked for
     * @param tool its name, without secrets
     * @param began when
     * @return the call's span, to be closed when it has ended
     */
    public Telemetry.Span begin(ToolInvocation invocation, String tool, Instant began) {
        ToolInvocation.Caller caller = invocation.caller();
        Telemetry.Operation operation = new Telemetry.Operation(
                Telemetry.Kind.TOOL,
                tool,
                caller.storyId(),
                caller.agentId(),
                caller.attempt(),
                caller.state(),
                cleaner.text(invocation.callId()));
        Telemetry.Span span = telemetry.start(operation, began);
        emit(new MaestroEvent.ToolStarted(
                caller.storyId(),
                caller.agentId(),
                caller.attempt(),
                caller.state(),
                tool,
                cleaner.text(invocation.callId()),
                parent(invocation),
                parameters(invocation.input()),
                began));
        return span;
    }

    /**
     * Tells how far a call is.
     *
     * @param invocation what was asked for
     * @param tool its name
     * @param step what the tool says, without secrets
     */
    void step(ToolInvocation invocation, String tool, String step) {
        ToolInvocation.Caller caller = invocation.caller();
        emit(new MaestroEvent.ToolProgressed(
                caller.storyId(),
                caller.agentId(),
                caller.attempt(),
                caller.state(),
                tool,
                cleaner.text(invocation.callId()),
                step,
                Instant.now()));
    }

    /**
     * Writes the row of a call.
     *
     * @param invocation what was asked for
     * @param tool its name, without secrets
     * @param clean the answer
     * @param began when
     * @param took how long it took
     * @param span the call's, which learns whether it has failed
     * @throws io.maestro.record.StoreException when it cannot be written
     */
    public void record(
            ToolInvocation invocation,
            String tool,
            ToolRuntime.Answer clean,
            Instant began,
            Duration took,
            Telemetry.Span span) {
        ToolResult answer = clean.result();
        if (answer.isError()) {
            span.failed("tool_error");
        } else if (answer.exitCode().orElse(0) != 0) {
            span.failed("exit_code");
        }
        ToolInvocation.Caller caller = invocation.caller();
        AuditLog.ToolExecution call = new AuditLog.ToolExecution(
                caller.sessionId(),
                caller.agentId(),
                caller.storyId(),
                caller.attempt(),
                caller.state(),
                tool,
                invocation.callId(),
                invocation.parentCallId(),
                parameters(invocation.input()),
                answer.isError() ? null : cleaner.json(answer),
                answer.isError() ? answer.text() : null,
                exitCode(answer),
                took.toMillis(),
                began);
        record.accept(call, clean.text());
    }

    /**
     * Tells that a call has ended.
     *
     * @param invocation what was asked for
     * @param tool its name, without secrets
     * @param answer the answer, without secrets
     * @param took how long it took
     */
    public void end(ToolInvocation invocation, String tool, ToolResult answer, Duration took) {
        ToolInvocation.Caller caller = invocation.caller();
        emit(new MaestroEvent.ToolFinished(
                caller.storyId(),
                caller.agentId(),
                caller.attempt(),
                caller.state(),
                tool,
                cleaner.text(invocation.callId()),
                parent(invocation),
                took,
                answer.isError(),
                exitCode(answer),
                Texts.firstLine(answer.text()),
                answer.text(),
                Instant.now()));
    }

    private static @Nullable Integer exitCode(ToolResult answer) {
        return answer.exitCode().isPresent() ? answer.exitCode().getAsInt() : null;
    }

    private @Nullable String parent(ToolInvocation invocation) {
        String id = invocation.parentCallId();
        return id == null ? null : cleaner.text(id);
    }

    private String parameters(String input) {
        if (input.isBlank()) {
            return "{}";
        }
        String clean = cleaner.text(input);
        return input.length() <= InputReader.MOST_CHARACTERS ? clean : Texts.headAndTail(clean, MOST_OF_PARAMETERS);
    }

    private void emit(MaestroEvent event) {
        try {
            listener.onEvent(event);
        } catch (Exception | LinkageError | StackOverflowError | AssertionError e) {
            LOG.warn("A listener failed and is ignored: {}", cleaner.text(Texts.stackTrace(e)));
        }
    }
}
