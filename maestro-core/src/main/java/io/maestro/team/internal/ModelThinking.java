package io.maestro.team.internal;

import io.maestro.error.RetriableException;
import io.maestro.llm.LlmClient;
import java.util.List;

/**
 * A model that Maestro asks itself. Its desk is kept, so that it goes on where it was when it comes back; whatever came in
 * meanwhile is the first that it reads.
 */
final class ModelThinking implements Thinking {
    private final ToolLoop loop;
    private final LlmClient model;
    private final Desks desks;
    private final SharedNotes notes;

    ModelThinking(ToolLoop loop, LlmClient model, Desks desks, SharedNotes notes) {
        this.loop = loop;
        this.model = model;
        this.desks = desks;
        this.notes = notes;
    }

    @Override
    public ToolLoop.Outcome think(StoryRun run) {
        Desk desk = desk(run);
        Conversation conversation = desk.conversation();
        conversation.enter(run.progress.step);
        if (conversation.turnsInStep() == 0) {
            tell(conversation, run.progress.guidance);
        }
        // Else it goes on after a crash: what the model was at comes first, and if that ends the visit, the next one is
        // told.
        run.progress.guidance.removeIf(conversation::isToldInStep);
        Visit visit =
                notes.join(Visit.of(desk.conversation(), desk.tools(), Signals.of(run.state), model, run.meter), run);
        return loop.run(visit.news(() -> {
            requireNoOutage(run);
            tell(conversation, run.progress.guidance);
            return visit.news().get();
        }));
    }

    private static void tell(Conversation conversation, List<String> guidance) {
        guidance.forEach(conversation::tellOnce);
        guidance.clear();
    }

    /** A model cannot help it that nobody answers: it would use up its turns, and the story would fail. */
    private static void requireNoOutage(StoryRun run) {
        RetriableException outage = run.outage.getAndSet(null);
        if (outage != null) {
            throw outage;
        }
    }

    /** Said as often as it is so. */
    @Override
    public void tellMore(StoryRun run, String text) {
        desk(run).conversation().addUser(text);
    }

    /** Where the coder works in this state; the same one until the attempt ends. */
    private Desk desk(StoryRun run) {
        return run.desks.computeIfAbsent(run.state, state -> desks.of(run));
    }
}
