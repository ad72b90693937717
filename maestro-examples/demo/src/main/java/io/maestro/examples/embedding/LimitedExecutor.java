package io.maestro.examples.embedding;

import io.maestro.exec.ExecProcess;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import java.util.concurrent.Semaphore;

/** Lets only some commands of all agents run at a time; the others wait for their turn. */
public final class LimitedExecutor implements Executor {
    private final Executor commands;
    private final Semaphore turns;

    /**
     * An executor that takes turns with others.
     *
     * @param commands runs the commands
     * @param turns how many run at a time; shared by the executors of all agents
     */
    public LimitedExecutor(Executor commands, Semaphore turns) {
        this.commands = commands;
        this.turns = turns;
    }

    @Override
    public ExecResult run(ExecRequest request) {
        try {
            turns.acquire();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return commands.run(request); // starts nothing, and says CANCELLED
        }
        try {
            return commands.run(request);
        } finally {
            turns.release();
        }
    }

    @Override
    public ExecProcess start(ExecRequest request) {
        return commands.start(request);
    }

    @Override
    public void endLeftovers() {
        commands.endLeftovers();
    }

    @Override
    public String workingDirectory() {
        return commands.workingDirectory();
    }
}
