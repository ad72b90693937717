package io.maestro.agent;

import java.util.Objects;
import java.util.concurrent.FutureTask;

/**
 * An agent: a model, or a program with one, that works on a task with tools until a terminal tool ends it. {@code
 * Maestro.agent()} builds one that works alone; in a team, the coders of the stories are agents.
 *
 * <p>An agent has one conversation. The first task begins it, and each further task continues it.
 *
 * <p>One task is run at a time. All methods may be called by any thread.
 */
public interface Agent extends AutoCloseable {
    /**
     * Names the agent.
     *
     * @return for example {@code coder-001}
     */
    String id();

    /**
     * Its role.
     *
     * @return for example {@code coder}
     */
    String role();

    /**
     * Works on a task until a call of a terminal tool was accepted, a budget is used up, or it is clear that more of the same
     * will not help. Blocks. Interrupting the calling thread ends the work: the result says so, and the thread's interrupt
     * status is set again.
     *
     * @param task what is to be done, or what follows from what was done
     * @return how it ended
     * @throws IllegalStateException when the agent works on another task, or is closed
     * @throws io.maestro.error.MaestroException when the work cannot be done; an {@code io.maestro.error.RetriableException}
     *     when something that it needs is down for a while: the same task may be run again then
     */
    AgentResult run(AgentTask task);

    /**
     * Works on a task in the background, on a thread of its own.
     *
     * @param task what is to be done
     * @return to wait for the result, and to cancel the work
     */
    default AgentRun start(AgentTask task) {
        Objects.requireNonNull(task, "task");
        FutureTask<AgentResult> work = new FutureTask<>(() -> run(task));
        Thread thread = new Thread(work, "maestro-agent-" + id());
        thread.setDaemon(true);
        thread.start();
        return new AgentRun(this, work, thread);
    }

    /** Ends the work that still runs, and what the agent has started. A second call does nothing. */
    @Override
    void close();
}
