package io.maestro.team.internal.agent.program;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Store;
import io.maestro.story.CoderState;
import io.maestro.team.internal.coder.StoryAttempt;
import io.maestro.team.internal.loop.Signals;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolSignal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The end of a program's turn that an earlier life could not act on any more: it was killed between the row of the call and
 * the change of state. The program knows nothing of that, and has nothing left to do.
 */
final class RecordedSignal {
    private static final JsonMapper JSON = new JsonMapper();

    private RecordedSignal() {}

    /** The signal of the call, if there is one in this step. */
    static Optional<ToolSignal> of(StoryAttempt run, List<ToolDefinition> tools, Store store) {
        return last(run, tools, store).flatMap(call -> signal(run, call));
    }

    /** The call that has ended the turn, if an earlier life has seen it. */
    static Optional<String> callId(StoryAttempt run, List<ToolDefinition> tools, Store store) {
        return last(run, tools, store).map(AuditLog.ToolExecution::callId);
    }

    private static Optional<AuditLog.ToolExecution> last(StoryAttempt run, List<ToolDefinition> tools, Store store) {
        Set<String> terminal = tools.stream()
                .filter(ToolDefinition::terminal)
                .map(ToolDefinition::name)
                .collect(Collectors.toUnmodifiableSet());
        Instant since = began(run, store);
        AuditLog.ToolExecution end = null;
        for (AuditLog.ToolExecution call : store.toolExecutions(run.story().id())) {
            boolean mine = call.attempt() == run.attempt()
                    && call.agentId().equals(run.agentId())
                    && call.state().equals(run.state().name())
                    && !call.at().isBefore(since);
            if (mine && call.callId().equals(run.progress().sessions().actedOn())) {
                end = null;
            } else if (mine
                    && end == null
                    && terminal.contains(call.tool())
                    && signal(run, call).isPresent()) {
                end = call;
            }
        }
        return Optional.ofNullable(end);
    }

    /** When the coder came into the state; while it was suspended it stayed there. */
    private static Instant began(StoryAttempt run, Store store) {
        Instant began = Instant.MAX;
        for (AuditLog.StateTransition transition : store.transitions(run.story().id())) {
            if (transition.attempt() == run.attempt()
                    && transition.to() == run.state()
                    && transition.from() != CoderState.SUSPEND) {
                began = transition.at();
            }
        }
        return began;
    }

    private static Optional<ToolSignal> signal(StoryAttempt run, AuditLog.ToolExecution call) {
        JsonNode signal = json(call.result()).path("signal");
        if (!signal.path("name").isTextual() || !signal.path("data").isObject()) {
            return Optional.empty();
        }
        Map<String, Object> data = JSON.convertValue(signal.path("data"), new TypeReference<>() {});
        return Optional.of(new ToolSignal(signal.path("name").asText(), data))
                .filter(sent -> Signals.fault(sent, Signals.of(run.state())).isEmpty());
    }

    private static JsonNode json(@Nullable String result) {
        try {
            return JSON.readTree(result == null ? "{}" : result);
        } catch (JsonProcessingException e) {
            return JSON.createObjectNode();
        }
    }
}
