package io.maestro.team.internal;

import io.maestro.builtin.internal.WorkspaceView;
import io.maestro.llm.LlmRequest;
import io.maestro.runtime.internal.DefaultToolContext;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolProvider;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Where the architect works on specifications: its desk for each visit of SCOPING and EDITING, and the loop at it. */
final class ArchitectDesks {
    private final SpecParts parts;
    private final ReadingRoom room;

    ArchitectDesks(SpecParts parts) {
        this.parts = parts;
        this.room = new ReadingRoom(parts.git(), parts.targetBranch(), parts.architectId());
    }

    /** Makes the first message of a visit; the files of the repository can be looked at. */
    @FunctionalInterface
    interface Question {
        String text(ReadingRoom room);
    }

    /** Has the architect think until it completes the state. A visit that was suspended goes on where it was. */
    ToolLoop.Outcome think(
            SpecRun run,
            ToolAudience audience,
            String systemPrompt,
            Map<String, List<String>> signals,
            Question question) {
        return room.read(target -> {
            SpecVisit visit = run.visit;
            if (visit == null) {
                visit = new SpecVisit(
                        desk(run, audience, systemPrompt, target), new Meter(parts.limits(), parts.prices()));
                if (visit.desk().conversation().messages().isEmpty()) {
                    visit.desk().conversation().addUser(question.text(room));
                }
                run.visit = visit;
            }
            Visit thinking =
                    Visit.of(visit.desk().conversation(), visit.desk().tools(), signals, parts.model(), visit.meter());
            return parts.loop().run(parts.notes().readingAlong(thinking, run.progress.chatSince));
        });
    }

    /** Why the architect has completed nothing. */
    static String reason(ToolLoop.Outcome outcome) {
        return outcome instanceof ToolLoop.Outcome.OverBudget over
                ? over.facts()
                : ((ToolLoop.Outcome.Stuck) outcome).reason();
    }

    private Desk desk(SpecRun run, ToolAudience audience, String systemPrompt, String target) {
        Map<Class<?>, Object> services = new HashMap<>(parts.services());
        services.put(WorkspaceView.class, room);
        DefaultToolContext.Builder context = DefaultToolContext.builder(parts.architectId(), audience)
                .storyId(run.spec.id())
                .services(services);
        parts.sandbox().letIn(context, parts.architectId());
        ToolProvider tools =
                parts.registry().provider(context.build(), parts.sandbox().tools(parts.registry(), audience));
        LlmRequest.Origin origin = new LlmRequest.Origin(parts.architectId(), run.spec.id(), run.state.name());
        // Each visit has a conversation of its own, which goes on after a restart.
        int number = run.progress.visits;
        Conversation conversation = Conversation.resume(
                        parts.store(), parts.redactor(), parts.sessionId(), number, origin, number)
                .orElseGet(() -> Conversation.begin(
                        parts.store(),
                        parts.redactor(),
                        parts.sessionId(),
                        number,
                        origin,
                        number,
                        parts.prompts()
                                .render(
                                        systemPrompt,
                                        Map.of(
                                                "agentId", parts.architectId(),
                                                "target", target,
                                                "tools", tools.documentation()))));
        return new Desk(conversation, tools);
    }
}
