package io.maestro.team.internal.spec;

import io.maestro.event.MaestroEvent;
import io.maestro.prompt.internal.FileTree;
import io.maestro.prompt.internal.Headings;
import io.maestro.record.AuditLog;
import io.maestro.story.ArchitectState;
import io.maestro.story.Spec;
import io.maestro.story.internal.StoryDraft;
import io.maestro.team.internal.architect.ArchitectCheckout;
import io.maestro.team.internal.loop.ToolLoop;
import io.maestro.team.internal.machine.Next;
import io.maestro.team.internal.machine.StateHandler;
import io.maestro.team.internal.machine.StuckException;
import io.maestro.tools.ToolAudience;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** SCOPING: the architect reads the specification and the repository, and submits stories. */
final class ScopingHandler implements StateHandler<ArchitectState, SpecRun> {
    private static final Map<String, List<String>> SIGNALS = Map.of("submit_stories", List.of());

    private final SpecServices services;
    private final SpecContexts contexts;
    private final SpecStories stories;

    ScopingHandler(SpecServices services, SpecContexts contexts, SpecStories stories) {
        this.services = services;
        this.contexts = contexts;
        this.stories = stories;
    }

    @Override
    public Next<ArchitectState> handle(SpecRun run) {
        ToolLoop.LoopOutcome outcome = contexts.work(
                run,
                ToolAudience.ARCHITECT_SCOPING,
                "architect-scoping",
                SIGNALS,
                checkout -> question(run.spec, checkout));
        run.endConversation();
        if (outcome instanceof ToolLoop.LoopOutcome.Signalled signalled) {
            return submitted(run, StoryDraft.submitted(signalled.signal().data()));
        }
        throw new StuckException("the architect came to no stories: " + SpecContexts.reason(outcome));
    }

    private String question(Spec spec, ArchitectCheckout checkout) {
        return services.resources()
                .prompts()
                .render(
                        "architect-spec",
                        Map.of(
                                "id", spec.id(),
                                "title", spec.title(),
                                "content", Headings.below(spec.title(), spec.content()),
                                "files", FileTree.describe(checkout.directory())));
    }

    private Next<ArchitectState> submitted(SpecRun run, List<StoryDraft> drafts) {
        String specId = run.spec.id();
        List<AuditLog.StoryRecord> records = stories.submitted(specId, drafts);
        List<MaestroEvent> events = new ArrayList<>();
        for (AuditLog.StoryRecord story : records) {
            events.add(new MaestroEvent.StorySubmitted(
                    specId,
                    story.id(),
                    services.architectId(),
                    services.resources().redactor().redact(story.title()),
                    story.dependsOn(),
                    Instant.now()));
        }
        String reason = records.size() == 1 ? "1 story is submitted" : records.size() + " stories are submitted";
        return new Next<>(ArchitectState.DISPATCHING, reason, records, events);
    }
}
