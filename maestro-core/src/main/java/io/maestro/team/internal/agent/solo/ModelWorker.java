package io.maestro.team.internal.agent.solo;

import io.maestro.agent.AgentResult;
import io.maestro.budget.internal.CostLimitException;
import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmRequest;
import io.maestro.team.internal.loop.Conversation;
import io.maestro.team.internal.loop.LoopInput;
import io.maestro.team.internal.loop.Signals;
import io.maestro.team.internal.loop.ToolLoop;
import java.util.List;

/** A model that is asked in a loop. */
public final class ModelWorker implements SoloWorker {
    private final SoloServices services;
    private final LlmClient model;
    private final ToolLoop loop;
    private final Conversation conversation;
    private int step;

    /** A worker that has not been told anything. */
    public ModelWorker(SoloServices services, LlmClient model) {
        this.services = services;
        this.model = model;
        this.loop = new ToolLoop(
                services.runtime(), services.prompts(), services.events(), services.limits(), services.sessionId());
        this.conversation = Conversation.begin(
                services.store(),
                services.redactor(),
                services.sessionId(),
                SoloServices.ATTEMPT,
                new LlmRequest.Origin(services.id(), services.work(), SoloServices.STATE),
                0,
                services.instructions());
    }

    @Override
    public AgentResult work(List<String> messages) {
        conversation.enter(++step);
        messages.forEach(conversation::tellOnce);
        ToolLoop.Outcome outcome;
        try {
            outcome = loop.run(LoopInput.of(conversation, services.tools(), Signals.ANY, model, services.meter()));
        } catch (CostLimitException e) {
            return AgentResult.overBudget(e.getMessage());
        }
        if (outcome instanceof ToolLoop.Outcome.Signalled signalled) {
            return AgentResult.completed(signalled.signal());
        }
        return outcome instanceof ToolLoop.Outcome.OverBudget over
                ? AgentResult.overBudget(over.facts())
                : AgentResult.stuck(((ToolLoop.Outcome.Stuck) outcome).reason());
    }

    @Override
    public void close() {
        conversation.close();
    }
}
