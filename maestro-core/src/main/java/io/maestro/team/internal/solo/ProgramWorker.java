package io.maestro.team.internal.solo;

import io.maestro.agent.Agent;
import io.maestro.agent.AgentResult;
import io.maestro.agent.AgentTask;
import io.maestro.agent.CoderState;
import io.maestro.agents.AgentProvider;
import io.maestro.budget.internal.CostLimitException;
import io.maestro.environment.Environment;
import io.maestro.internal.Uninterrupted;
import io.maestro.llm.LlmStreamListener;
import io.maestro.runtime.ToolInvocation;
import io.maestro.team.internal.loop.Meter;
import io.maestro.team.internal.loop.Signals;
import io.maestro.team.internal.machine.CancelledException;
import io.maestro.team.internal.program.ProgramContext;
import io.maestro.team.internal.program.ProgramTurn;
import io.maestro.tools.ToolSignal;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A program, such as the Claude Code CLI, that works as an agent. */
public final class ProgramWorker extends ProgramContext implements SoloWorker {
    private final SoloServices services;
    private final AgentProvider provider;
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
        super(new Parts(
                services.runtime(),
                services.tools(),
                Signals.ANY,
                services.prompts(),
                services.store(),
                services.redactor(),
                services.limits(),
                services.events()));
        this.services = services;
        this.provider = provider;
    }

    @Override
    public AgentResult work(List<String> messages) {
        step.incrementAndGet();
        ProgramTurn now = nextTurn();
        List<String> clean = messages.stream().map(this::clean).toList();
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
    protected Meter meter() {
        return services.meter();
    }

    @Override
    protected ToolInvocation.Caller caller() {
        return services.caller();
    }

    @Override
    protected String conversation() {
        return SoloServices.STATE;
    }

    @Override
    protected int step() {
        return step.get();
    }

    /** Tells what the host asked to be told. */
    @Override
    public LlmStreamListener stream() {
        return services.stream();
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

    /** No tool of an agent that works alone exchanges its container. */
    @Override
    public boolean movesCoder(String tool) {
        return false;
    }

    @Override
    public String instructions() {
        return clean(services.instructions());
    }

    @Override
    public String assignment() {
        return assignment;
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
    public Optional<String> unread() {
        return Optional.empty();
    }
}
