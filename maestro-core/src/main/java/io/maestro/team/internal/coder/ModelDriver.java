package io.maestro.team.internal.coder;

import io.maestro.llm.LlmClient;
import io.maestro.story.CoderState;
import io.maestro.team.internal.loop.AgentNotes;
import io.maestro.team.internal.loop.LoopContext;
import io.maestro.team.internal.loop.LoopInput;
import io.maestro.team.internal.loop.ModelConversation;
import io.maestro.team.internal.loop.Signals;
import io.maestro.team.internal.loop.ToolLoop;
import io.maestro.team.internal.story.Guidance;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A model that Maestro asks itself. Its conversation in a state is kept until the attempt ends, so that it goes on there when
 * the coder comes back; what has come in meanwhile is the first that it reads.
 */
public final class ModelDriver implements CoderDriver {
    private final ToolLoop loop;
    private final LlmClient model;
    private final CoderContexts contexts;
    private final AgentNotes notes;
    private final Map<StoryAttempt, Map<CoderState, LoopContext>> kept = new ConcurrentHashMap<>();

    /** A driver for all stories. */
    public ModelDriver(ToolLoop loop, LlmClient model, CoderContexts contexts, AgentNotes notes) {
        this.loop = loop;
        this.model = model;
        this.contexts = contexts;
        this.notes = notes;
    }

    @Override
    public String author() {
        return model.model();
    }

    @Override
    public List<LlmClient> services() {
        return List.of(model);
    }

    @Override
    public ToolLoop.LoopOutcome work(StoryAttempt run) {
        LoopContext context = context(run);
        ModelConversation conversation = context.conversation();
        conversation.enter(run.step());
        if (conversation.turnsInStep() == 0) {
            tell(conversation, run.guidance());
        }
        // Else it goes on after a crash: what the model was at comes first, and if that ends the turn, the next one is
        // told.
        run.guidance().told(conversation::isToldInStep);
        LoopInput input = notes.withChatAndTodos(
                LoopInput.of(conversation, context.tools(), Signals.of(run.state()), model, run.meter())
                        .stop(run.stop()),
                run.chatSince());
        return loop.run(input.news(() -> {
            run.sandbox().requireCommandsAnswered();
            tell(conversation, run.guidance());
            return input.texts().news().get();
        }));
    }

    private static void tell(ModelConversation conversation, Guidance guidance) {
        List<String> untold = guidance.untold();
        untold.forEach(conversation::tellOnce);
        guidance.told(untold.size());
    }

    /** Said as often as it is so. */
    @Override
    public void tellMore(StoryAttempt run, String text) {
        context(run).conversation().addUser(text);
    }

    @Override
    public void end(StoryAttempt run) {
        Map<CoderState, LoopContext> ended = kept.remove(run);
        if (ended != null) {
            ended.values().forEach(context -> context.tools().close());
        }
    }

    private LoopContext context(StoryAttempt run) {
        return kept.computeIfAbsent(run, attempt -> new EnumMap<>(CoderState.class))
                .computeIfAbsent(run.state(), state -> contexts.of(run));
    }
}
