package io.maestro.team.internal.agent.solo;

import io.maestro.agent.AgentResult;
import io.maestro.budget.internal.CostLimitException;
import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmRequest;
import io.maestro.team.internal.agent.program.ProgramContext.AgentServices;
import io.maestro.team.internal.loop.LoopInput;
import io.maestro.team.internal.loop.ModelConversation;
import io.maestro.team.internal.loop.ToolLoop;
import java.util.List;

/** A model that is asked in a loop. */
public final class ModelWorker implements SoloWorker {
    private final SoloServices services;
    private final LlmClient model;
    private final ToolLoop loop;
    private final ModelConversation conversation;
    private int step;

    /** A worker that has not been told anything. */
    public ModelWorker(SoloServices services, LlmClient model) {
        this.services = services;
        this.model = model;
        AgentServices common = services.services();
        this.loop = new ToolLoop(
                common.runtime(), common.prompts(), common.events(), common.limits(), services.sessionId());
        this.conversation = ModelConversation.begin(
                common.store(),
                common.redactor(),
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
        ToolLoop.LoopOutcome outcome;
        try {
            AgentServices common = services.services();
            outcome = loop.run(
                    LoopInput.of(conversation, common.agentTools(), common.signals(), model, services.meter()));
        } catch (CostLimitException e) {
            return AgentResult.overBudget(e.getMessage());
        }
        if (outcome instanceof ToolLoop.LoopOutcome.Signalled signalled) {
            return AgentResult.completed(signalled.signal());
        }
        return outcome instanceof ToolLoop.LoopOutcome.OverBudget over
                ? AgentResult.overBudget(over.facts())
                : AgentResult.stuck(((ToolLoop.LoopOutcome.Stuck) outcome).reason());
    }

    @Override
    public void close() {
        conversation.close();
    }
}
