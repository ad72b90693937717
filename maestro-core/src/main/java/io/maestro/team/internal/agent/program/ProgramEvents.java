package io.maestro.team.internal.agent.program;

import io.maestro.event.MaestroEvent;
import io.maestro.internal.Texts;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmStreamListener;
import io.maestro.llm.Usage;
import io.maestro.runtime.ToolInvocation;
import io.maestro.secrets.Redactor;
import io.maestro.team.internal.loop.WrittenText;
import io.maestro.team.internal.machine.Events;
import io.maestro.telemetry.Telemetry;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Tells what a program does by itself, without secrets. Safe for use by several threads. */
final class ProgramEvents {
    private final ToolInvocation.Caller caller;
    private final Redactor redactor;
    private final Events listener;
    private final WrittenText text;

    ProgramEvents(ToolInvocation.Caller caller, Redactor redactor, Events listener) {
        this.caller = caller;
        this.redactor = redactor;
        this.listener = listener;
        this.text = new WrittenText(
                new LlmRequest.Origin(caller.agentId(), caller.storyId(), caller.state()),
                caller.attempt(),
                redactor,
                listener);
    }

    /** Tells what the program's model writes. */
    LlmStreamListener text() {
        return text;
    }

    private Telemetry.Span span(Telemetry.Kind kind, String name, @Nullable String callId, Duration took) {
        return listener.telemetry()
                .start(
                        new Telemetry.Operation(
                                kind,
                                name,
                                caller.storyId(),
                                caller.agentId(),
                                caller.attempt(),
                                caller.state(),
                                callId),
                        Instant.now().minus(took));
    }

    void modelCalled(String model) {
        listener.onEvent(new MaestroEvent.ModelCalled(
                caller.storyId(), caller.agentId(), caller.attempt(), caller.state(), model, Instant.now()));
    }

    void modelAnswered(String model, Usage usage, @Nullable BigDecimal dollars, Duration took) {
        try (Telemetry.Span span = span(Telemetry.Kind.MODEL, model, null, took)) {
            span.answered(model, usage, dollars);
        }
        listener.onEvent(new MaestroEvent.ModelAnswered(
                caller.storyId(),
                caller.agentId(),
                caller.attempt(),
                caller.state(),
                model,
                usage,
                took,
                Instant.now()));
    }

    void toolStarted(String callId, String tool, String arguments) {
        listener.onEvent(new MaestroEvent.ToolStarted(
                caller.storyId(),
                caller.agentId(),
                caller.attempt(),
                caller.state(),
                redactor.redact(tool),
                redactor.redact(callId),
                null,
                redactor.redact(arguments),
                Instant.now()));
    }

    void toolFinished(String callId, String tool, Duration duration, boolean error, String answer) {
        String clean = redactor.redact(answer);
        try (Telemetry.Span span =
                span(Telemetry.Kind.OWN_TOOL, redactor.redact(tool), redactor.redact(callId), duration)) {
            if (error) {
                span.failed("tool_error");
            }
        }
        listener.onEvent(new MaestroEvent.ToolFinished(
                caller.storyId(),
                caller.agentId(),
                caller.attempt(),
                caller.state(),
                redactor.redact(tool),
                redactor.redact(callId),
                null,
                duration,
                error,
                null,
                Texts.firstLine(clean),
                clean,
                Instant.now()));
    }
}
