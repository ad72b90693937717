package io.maestro.team.internal.agent.solo;

import io.maestro.agent.AgentResult;
import java.util.List;

/** Does an agent's thinking: a model that Maestro asks itself, or a program. Used by one thread at a time. */
public interface SoloWorker {
    /**
     * Works until the end of the task.
     *
     * @param messages what the agent is told first
     * @throws io.maestro.team.internal.machine.CancelledException when the thread is interrupted
     */
    AgentResult work(List<String> messages);

    /** Ends what was started. */
    void close();
}
