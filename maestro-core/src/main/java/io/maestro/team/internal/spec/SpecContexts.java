package io.maestro.team.internal.spec;

import io.maestro.instructions.internal.Instructions;
import io.maestro.instructions.internal.Skills;
import io.maestro.llm.LlmRequest;
import io.maestro.runtime.internal.ContextParts;
import io.maestro.runtime.internal.DefaultToolContext;
import io.maestro.runtime.internal.WorkspaceView;
import io.maestro.team.internal.architect.ArchitectCheckout;
import io.maestro.team.internal.loop.LoopContext;
import io.maestro.team.internal.loop.LoopInput;
import io.maestro.team.internal.loop.Meter;
import io.maestro.team.internal.loop.ModelConversation;
import io.maestro.team.internal.loop.ToolLoop;
import io.maestro.team.internal.loop.UsageTotals;
import io.maestro.tools.AgentTools;
import io.maestro.tools.ToolAudience;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Where the architect works on specifications: its context for each time in SCOPING or EDITING, and the loop with it. */
final class SpecContexts {
    private final SpecServices services;
    private final ArchitectCheckout checkout;

    SpecContexts(SpecServices services) {
        this.services = services;
        this.checkout = new ArchitectCheckout(services.resources().git(), services.architectId());
    }

    /** Makes the first message of a conversation; the files of the repository can be looked at. */
    @FunctionalInterface
    interface FirstMessage {
        String text(ArchitectCheckout checkout);
    }

    /** Has the architect work until it completes the state. What was suspended goes on where it was. */
    ToolLoop.LoopOutcome work(
            SpecRun run,
            ToolAudience audience,
            String systemPrompt,
            Map<String, List<String>> signals,
            FirstMessage question) {
        return checkout.read(target -> {
            SpecConversation open = run.conversation;
            if (open == null) {
                open = new SpecConversation(context(run, audience, systemPrompt, target), meter(run));
                if (open.context().conversation().messages().isEmpty()) {
                    open.context().conversation().addUser(question.text(checkout));
                }
                run.conversation = open;
            }
            LoopInput input = LoopInput.of(
                            open.context().conversation(),
                            open.context().tools(),
                            signals,
                            services.resources().settings().agents().architectModel(),
                            open.meter())
                    .stop(run.stop());
            return services.loop().run(services.notes().withChat(input, run.progress.chatSince()));
        });
    }

    /** What this time has cost, in earlier lives, too; its time begins anew. */
    private Meter meter(SpecRun run) {
        int number = run.progress.visits();
        UsageTotals spent = UsageTotals.on(
                services.resources().store().costs(run.spec.id()).stream().filter(cost -> cost.attempt() == number),
                services.resources().settings().agents().prices()::cost);
        return new Meter(
                services.resources().settings().limits(),
                services.resources().settings().agents().prices()::cost,
                spent,
                Duration.ZERO,
                0,
                services.costs().spec(run.spec.id()));
    }

    /** Why the architect has completed nothing. */
    static String reason(ToolLoop.LoopOutcome outcome) {
        return outcome instanceof ToolLoop.LoopOutcome.OverBudget over
                ? over.facts()
                : ((ToolLoop.LoopOutcome.Stuck) outcome).reason();
    }

    private LoopContext context(SpecRun run, ToolAudience audience, String systemPrompt, String target) {
        Map<Class<?>, Object> forTools = new HashMap<>(services.resources().services());
        forTools.put(WorkspaceView.class, checkout);
        Instructions instructions = services.resources().instructions().at(checkout.commit());
        forTools.put(Skills.class, instructions.skills());
        DefaultToolContext.Builder context = ContextParts.context(
                        services.architectId(), audience, run.spec.id(), forTools)
                .at(run.progress.visits(), run.state().name());
        services.sandbox().letIn(context, services.architectId());
        Set<String> allowed =
                new HashSet<>(services.sandbox().tools(services.resources().registry(), audience));
        allowed.removeIf(tool -> !instructions.skills().mayOffer(tool));
        AgentTools tools = services.resources().registry().agentTools(context.build(), allowed);
        LlmRequest.Origin origin = new LlmRequest.Origin(
                services.architectId(), run.spec.id(), run.state().name());
        // Each time has a conversation of its own, which goes on after a restart.
        int number = run.progress.visits();
        ModelConversation conversation = ModelConversation.resume(
                        services.resources().store(),
                        services.resources().redactor(),
                        services.resources().sessionId(),
                        number,
                        origin,
                        number)
                .orElseGet(() -> ModelConversation.begin(
                        services.resources().store(),
                        services.resources().redactor(),
                        services.resources().sessionId(),
                        number,
                        origin,
                        number,
                        services.resources()
                                .prompts()
                                .render(
                                        systemPrompt,
                                        Map.of(
                                                "agentId", services.architectId(),
                                                "target", target,
                                                "tools", tools.documentation(),
                                                "instructions", instructions.text())),
                        instructions.hashes()));
        return new LoopContext(conversation, tools);
    }
}
