package io.maestro.agents;

import io.maestro.agent.Agent;
import io.maestro.environment.Equipment;

/** The program that works in PLANNING and CODING, for all coders of one Maestro. Safe for use by several threads. */
public interface AgentProvider extends AutoCloseable {
    /**
     * What the program needs in the environment of a coder beside the workspace. Asked before the environment is opened.
     *
     * @param agentId the coder, for example {@code coder-001}
     * @return the same for a coder each time, after a restart too
     */
    default Equipment equipment(String agentId) {
        return Equipment.NONE;
    }

    /**
     * Takes up a coder's work in one state of one attempt. Nothing is started yet.
     *
     * @param task what is to be done, and what the program may use for it
     * @return closed when the coder leaves the state other than for a question, and when the attempt ends
     */
    Agent open(AgentContext task);

    /** Ends what still runs. A second call does nothing. */
    @Override
    void close();
}
