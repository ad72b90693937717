package io.maestro.team.internal.spec;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.maestro.error.MaestroException;
import io.maestro.event.MaestroEvent;
import io.maestro.prompt.internal.Headings;
import io.maestro.record.AuditLog;
import io.maestro.story.ArchitectState;
import io.maestro.story.internal.StoryDraft;
import io.maestro.team.internal.loop.Signals;
import io.maestro.team.internal.loop.ToolLoop;
import io.maestro.team.internal.machine.Next;
import io.maestro.team.internal.machine.StateHandler;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolSignal;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** EDITING: a story has failed; the architect rewrites it for another attempt, or gives it up. */
final class EditingHandler implements StateHandler<ArchitectState, SpecRun> {
    private static final JsonMapper JSON = new JsonMapper();

    /** By name, the texts that a signal must carry. */
    private static final Map<String, List<String>> SIGNALS =
            Map.of("story_edit", List.of("description"), "story_give_up", List.of("reason"));

    private final SpecServices services;
    private final SpecContexts contexts;
    private final SpecStories stories;

    EditingHandler(SpecServices services, SpecContexts contexts, SpecStories stories) {
        this.services = services;
        this.contexts = contexts;
        this.stories = stories;
    }

    @Override
    public Next<ArchitectState> handle(SpecRun run) {
        String storyId = run.progress.editing();
        SpecProgress.Ended failure = run.progress.failure();
        if (storyId == null || failure == null) {
            throw new IllegalStateException(
                    "specification " + run.spec.id() + " is in EDITING, but nothing says which story");
        }
        AuditLog.StoryRecord story = services.resources()
                .store()
                .story(storyId)
                .orElseThrow(() -> new MaestroException("story " + storyId + " is not in the record any more"));
        ToolLoop.LoopOutcome outcome = contexts.work(
                run,
                ToolAudience.ARCHITECT_EDITING,
                "architect-editing",
                SIGNALS,
                checkout -> question(run, story, failure));
        run.endConversation();
        if (!(outcome instanceof ToolLoop.LoopOutcome.Signalled signalled)) {
            // The other stories can still be done.
            return givenUp(run, story, failure, "the architect came to no decision: " + SpecContexts.reason(outcome));
        }
        ToolSignal signal = signalled.signal();
        return signal.name().equals("story_edit")
                ? edited(run, story, StoryDraft.edited(signal.data()))
                : givenUp(run, story, failure, "the architect gave it up: " + Signals.text(signal, "reason"));
    }

    private Next<ArchitectState> edited(SpecRun run, AuditLog.StoryRecord story, StoryDraft draft) {
        AuditLog.StoryRecord next = stories.nextAttempt(story, draft.newTitle().orElse(story.title()), draft.content());
        run.progress.edited(story.id());
        return new Next<>(
                ArchitectState.DISPATCHING,
                "story " + story.id() + " is rewritten for attempt " + next.attempt(),
                List.of(next),
                List.of(new MaestroEvent.StoryRequeued(
                        run.spec.id(),
                        story.id(),
                        services.architectId(),
                        services.resources().redactor().redact(next.title()),
                        next.attempt(),
                        Instant.now())));
    }

    private Next<ArchitectState> givenUp(
            SpecRun run, AuditLog.StoryRecord story, SpecProgress.Ended failure, String why) {
        String reason = services.resources().redactor().redact(why);
        run.progress.giveUpEdited(story.id(), failure, reason);
        return new Next<>(
                ArchitectState.MONITORING,
                "story " + story.id() + " is given up",
                List.of(),
                List.of(new MaestroEvent.StoryGivenUp(
                        run.spec.id(), story.id(), services.architectId(), reason, Instant.now())));
    }

    private String question(SpecRun run, AuditLog.StoryRecord story, SpecProgress.Ended failure) {
        Map<String, Object> variables = new HashMap<>();
        variables.put("id", story.id());
        variables.put("title", story.title());
        variables.put("attempt", failure.attempt());
        variables.put("outcome", failure.outcome().name());
        variables.put("left", services.resources().settings().limits().storyRetries() - run.progress.edits(story.id()));
        variables.put("content", Headings.below(story.title(), story.content()));
        variables.put("error", failure.error() == null ? "(it gave no reason)" : failure.error());
        variables.put("feedback", feedback(story.id()));
        variables.put(
                "dependents",
                services.resources().store().storiesOf(run.spec.id()).stream()
                        .filter(other -> other.dependsOn().contains(story.id()))
                        .map(other -> Map.of("dependent", other.id() + " " + other.title()))
                        .toList());
        variables.put("specId", run.spec.id());
        variables.put("specTitle", run.spec.title());
        variables.put("spec", Headings.below(run.spec.title(), run.spec.content()));
        return services.resources().prompts().render("architect-edit", variables);
    }

    /** What the architect has told the coder in all attempts, but for plain approvals. */
    private List<Map<String, String>> feedback(String storyId) {
        return services.resources().store().effects(storyId).stream()
                .filter(effect -> effect.reply() != null)
                .map(effect -> feedback(effect.kind(), String.valueOf(effect.reply())))
                .filter(reply -> !reply.getOrDefault("decision", "").equals("APPROVED")
                        || !reply.getOrDefault("message", "").isBlank())
                .toList();
    }

    private static Map<String, String> feedback(String kind, String reply) {
        try {
            JsonNode json = JSON.readTree(reply);
            return Map.of(
                    "kind", kind,
                    "decision", json.path("decision").asText(),
                    "message", json.path("message").asText());
        } catch (JsonProcessingException e) {
            return Map.of("kind", kind, "decision", "", "message", reply);
        }
    }
}
