package io.maestro.team.internal.program;

import io.maestro.audit.Redactor;
import io.maestro.event.MaestroEvent;
import io.maestro.event.MaestroListener;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmStreamListener;
import io.maestro.llm.Usage;
import io.maestro.runtime.ToolInvocation;
import io.maestro.runtime.internal.Texts;
import io.maestro.team.internal.loop.WrittenText;
import java.time.Duration;
import java.time.Instant;

/** Tells what a program does by itself, without secrets. Safe for use by several threads. */
final class ProgramEvents {
    private final ToolInvocation.Caller caller;
    private final Redactor redactor;
    private final MaestroListener listener;
    private final WrittenText text;

    ProgramEvents(ToolInvocation.Caller caller, Redactor redactor, MaestroListener listener) {
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

    void modelCalled(String model) {
        listener.onEvent(new MaestroEvent.ModelCalled(
                caller.storyId(), caller.agentId(), caller.attempt(), caller.state(), model, Instant.now()));
    }

    void modelAnswered(String model, Usage usage, Duration took) {
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
