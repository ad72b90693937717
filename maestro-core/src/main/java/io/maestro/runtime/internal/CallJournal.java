package io.maestro.runtime.internal;

import io.maestro.audit.Store;
import io.maestro.event.MaestroEvent;
import io.maestro.event.MaestroListener;
import io.maestro.runtime.ToolInvocation;
import io.maestro.telemetry.Telemetry;
import io.maestro.tools.ToolResult;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes calls into the record, tells a listener of them, and has each traced. Safe for use by several threads. */
public final class CallJournal {
    /** Of the parameters of a call that were too long to be read so many characters are recorded. */
    private static final int MOST_OF_PARAMETERS = 64 * 1024;

    private static final Logger LOG = LoggerFactory.getLogger(CallJournal.class);

    private final Store store;
    private final MaestroListener listener;
    private final Cleaner cleaner;
    private final Telemetry telemetry;

    /**
     * A journal.
     *
     * @param store the record
     * @param listener who watches; what it throws is ignored
     * @param cleaner takes secrets out
     * @param telemetry has a span for each call that begins
     */
    public CallJournal(Store store, MaestroListener listener, Cleaner cleaner, Telemetry telemetry) {
        this.store = store;
        this.listener = listener;
        this.cleaner = cleaner;
        this.telemetry = telemetry;
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
     * @param answer the answer, without secrets
     * @param began when
     * @param took how long it took
     * @param span the call's, which learns whether it has failed
     * @throws io.maestro.audit.StoreException when it cannot be written
     */
    public void record(
            ToolInvocation invocation,
            String tool,
            ToolResult answer,
            Instant began,
            Duration took,
            Telemetry.Span span) {
        if (answer.isError()) {
            span.failed("tool_error");
        } else if (answer.exitCode().orElse(0) != 0) {
            span.failed("exit_code");
        }
        ToolInvocation.Caller caller = invocation.caller();
        store.recordToolExecution(new Store.ToolExecution(
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
                began));
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
