package io.maestro.team.internal.agent.solo;

import io.maestro.agent.Agent;
import io.maestro.agent.AgentResult;
import io.maestro.agent.AgentTask;
import io.maestro.agent.spi.AgentProvider;
import io.maestro.budget.internal.CostLimitException;
import io.maestro.environment.Environment;
import io.maestro.internal.Uninterrupted;
import io.maestro.llm.LlmStreamListener;
import io.maestro.story.CoderState;
import io.maestro.team.internal.agent.program.ProgramContext;
import io.maestro.team.internal.loop.Meter;
import io.maestro.team.internal.loop.OutOfTimeException;
import io.maestro.team.internal.machine.StopSignal;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A program, such as the Claude Code CLI, that works as an agent. */
public final class ProgramWorker extends ProgramContext implements SoloWorker {
    private final SoloServices services;
    private final AgentProvider provider;
    private volatile String assignment = "";
    private volatile @Nullable String session;
    private int tasks;

    /**
     * Starts nothing yet.
     *
     * @param provider makes the program; closed with the worker
     */
    public ProgramWorker(SoloServices services, AgentProvider provider) {
        super(
                new ProgramWork(services.caller(), services.role(), CoderState.CODING, SoloServices.STATE),
                services.services());
        this.services = services;
        this.provider = provider;
    }

    @Override
    public AgentResult work(List<String> messages) {
        try {
            return turn(++tasks, StopSignal.byInterrupt(), () -> result(clean(messages)));
        } catch (OutOfTimeException e) {
            return AgentResult.overBudget(String.valueOf(e.getMessage()));
        }
    }

    private AgentResult result(List<String> messages) {
        boolean begins = session == null && !isOpen();
        if (begins) {
            // What it is told first is its assignment.
            assignment = String.join("\n\n", messages);
        }
        try {
            return program().run(begins ? AgentTask.goOn() : new AgentTask(messages));
        } catch (CostLimitException e) {
            return AgentResult.overBudget(e.getMessage());
        }
    }

    @Override
    protected Agent open() {
        return provider.open(this);
    }

    @Override
    public void close() {
        super.close();
        Uninterrupted.closing("what makes the program of " + services.id(), provider);
    }

    @Override
    protected Meter meter() {
        return services.meter();
    }

    /** Tells what the host asked to be told. */
    @Override
    public LlmStreamListener stream() {
        return services.stream().and(super.stream());
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
