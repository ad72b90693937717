package io.maestro.team.internal.solo;

import io.maestro.agent.Agent;
import io.maestro.agent.AgentResult;
import io.maestro.agent.AgentTask;
import io.maestro.agent.CoderState;
import io.maestro.agent.Limits;
import io.maestro.agents.AgentContext;
import io.maestro.agents.AgentProvider;
import io.maestro.audit.Store;
import io.maestro.budget.internal.CostLimitException;
import io.maestro.budget.internal.PaidRequest;
import io.maestro.environment.Environment;
import io.maestro.event.MaestroEvent;
import io.maestro.internal.Uninterrupted;
import io.maestro.llm.LlmContent;
import io.maestro.llm.Usage;
import io.maestro.runtime.ToolInvocation;
import io.maestro.team.internal.loop.Signals;
import io.maestro.team.internal.machine.CancelledException;
import io.maestro.team.internal.program.ProgramTurn;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolResult;
import io.maestro.tools.ToolSignal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A program, such as the Claude Code CLI, that works as an agent. */
public final class ProgramWorker implements SoloWorker, AgentContext {
    private final SoloServices services;
    private final AgentProvider provider;
    private final List<ToolDefinition> tools;
    private volatile ProgramTurn turn;
    private volatile String assignment = "";
    private volatile @Nullable String session;
    private final AtomicInteger step = new AtomicInteger();
    private @Nullable Agent program;

    /**
     * Starts nothing yet.
     *
     * @param provider makes the program; closed with the worker
     */
    public ProgramWorker(SoloServices services, AgentProvider provider) {
        this.services = services;
        this.provider = provider;
        this.tools = services.tools().list();
        this.turn = new ProgramTurn(services.limits());
    }

    @Override
    public AgentResult work(List<String> messages) {
        step.incrementAndGet();
        ProgramTurn now = new ProgramTurn(services.limits());
        turn = now;
        List<String> clean = messages.stream().map(services.redactor()::redact).toList();
        AgentResult result;
        try {
            result = result(clean);
        } catch (CostLimitException e) {
            result = AgentResult.overBudget(e.getMessage());
        } catch (RuntimeException e) {
            end();
            ToolSignal accepted = now.close().orElseThrow(() -> e);
            return AgentResult.completed(accepted);
        }
        CancelledException.check();
        // What was accepted counts, whatever the program makes of it.
        Optional<ToolSignal> signal = now.close();
        return signal.isPresent() ? AgentResult.completed(signal.get()) : result;
    }

    private AgentResult result(List<String> messages) {
        Agent known = program;
        if (known == null) {
            boolean begins = session == null;
            if (begins) {
                // What it is told first is its assignment.
                assignment = String.join("\n\n", messages);
            }
            known = provider.open(this);
            program = known;
            return known.run(begins ? AgentTask.goOn() : new AgentTask(messages));
        }
        return known.run(new AgentTask(messages));
    }

    private void end() {
        Agent known = program;
        program = null;
        if (known != null) {
            Uninterrupted.closing("the program of " + services.id(), known);
        }
    }

    @Override
    public void close() {
        end();
        Uninterrupted.closing("what makes the program of " + services.id(), provider);
    }

    @Override
    public Call call(String callId, String tool, String input) {
        ProgramTurn now = turn;
        Optional<String> refusal = now.refusal();
        if (refusal.isPresent()) {
            return new Call(ToolResult.error(refusal.get()), Optional.empty());
        }
        ToolResult result =
                services.runtime().call(services.tools(), new ToolInvocation(callId, tool, input, services.caller()));
        Optional<ToolDefinition> known =
                tools.stream().filter(each -> each.name().equals(tool)).findFirst();
        now.ran(
                new LlmContent.ToolUse(callId, tool, input),
                known.filter(ToolDefinition::readOnly).isPresent(),
                result);
        Optional<ToolSignal> signal = known.filter(ToolDefinition::terminal)
                .filter(each -> !result.isError())
                .flatMap(each -> result.signal());
        if (signal.isEmpty() || Signals.fault(signal.get(), Signals.ANY).isPresent()) {
            return new Call(result, Optional.empty());
        }
        return now.end(callId, signal.get())
                ? new Call(result, signal)
                : new Call(ToolResult.error(now.refusal().orElse("not run")), Optional.empty());
    }

    @Override
    public Request reserve(String model, long inputTokens, long outputTokens) {
        PaidRequest paid = services.meter()
                .account()
                .reserve(services.id(), SoloServices.STATE, SoloServices.ATTEMPT, model, inputTokens, outputTokens);
        return new Request() {
            @Override
            public void used(String answered, Usage usage) {
                ProgramWorker.this.used(paid, answered, usage);
            }

            @Override
            public void unanswered(String asked, Usage most) {
                ProgramWorker.this.used(paid, asked, most);
            }

            @Override
            public void failed(boolean mayBeCharged) {
                paid.failed(mayBeCharged);
            }
        };
    }

    @Override
    public void used(String model, Usage usage) {
        used(
                services.meter().account().unreserved(services.id(), SoloServices.STATE, SoloServices.ATTEMPT, model),
                model,
                usage);
    }

    private void used(PaidRequest paid, String model, Usage usage) {
        paid.record(services.store(), message("assistant", "[]", model, usage));
        services.events()
                .onEvent(new MaestroEvent.ModelAnswered(services.work(), services.id(), model, usage, Duration.ZERO));
        services.meter().add(model, model, usage);
    }

    @Override
    public void record(String role, String content) {
        services.store().recordMessage(message(role, content, null, Usage.NONE));
    }

    private Store.Message message(String role, String content, @Nullable String model, Usage usage) {
        return new Store.Message(
                services.sessionId(),
                services.work(),
                SoloServices.ATTEMPT,
                services.id(),
                SoloServices.STATE,
                step.get(),
                role,
                content,
                model,
                null,
                usage.inputTokens(),
                usage.outputTokens(),
                usage.cacheReadTokens(),
                usage.cacheWriteTokens(),
                Instant.now());
    }

    @Override
    public String agentId() {
        return services.id();
    }

    @Override
    public String role() {
        return services.role();
    }

    @Override
    public String storyId() {
        return services.work();
    }

    @Override
    public int attempt() {
        return SoloServices.ATTEMPT;
    }

    @Override
    public CoderState state() {
        return CoderState.CODING;
    }

    @Override
    public Environment environment() {
        return services.environment();
    }

    @Override
    public Limits limits() {
        return services.limits();
    }

    @Override
    public List<ToolDefinition> tools() {
        return tools;
    }

    /** No tool of an agent that works alone exchanges its container. */
    @Override
    public boolean movesCoder(String tool) {
        return false;
    }

    @Override
    public String instructions() {
        return services.redactor().redact(services.instructions());
    }

    @Override
    public String assignment() {
        return assignment;
    }

    @Override
    public String prompt(String prompt, Map<String, ?> variables) {
        return services.redactor().redact(services.prompts().render(prompt, variables));
    }

    @Override
    public Optional<String> session() {
        return Optional.ofNullable(session);
    }

    @Override
    public void session(String id) {
        session = id;
    }

    @Override
    public Optional<String> exceeded() {
        return services.meter().exceeded();
    }

    @Override
    public Optional<String> unread() {
        return Optional.empty();
    }
}
