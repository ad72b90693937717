package io.maestro.team.internal.agent.solo;

import io.maestro.environment.Environment;
import io.maestro.llm.LlmStreamListener;
import io.maestro.runtime.ToolInvocation;
import io.maestro.team.internal.agent.program.ProgramContext.AgentServices;
import io.maestro.team.internal.loop.Meter;

/**
 * What an agent that works alone is recorded, bounded and told by.
 *
 * @param id who works
 * @param role as what
 * @param sessionId this life of the agent, in the record
 * @param instructions the system prompt
 * @param environment where commands run; closed by the agent
 * @param services what all agents need; its runtime is closed by the agent
 * @param meter what it has cost so far
 * @param stream who is told a program's text while it is written
 */
public record SoloServices(
        String id,
        String role,
        String sessionId,
        String instructions,
        Environment environment,
        AgentServices services,
        Meter meter,
        LlmStreamListener stream) {
    /** What the record has in the place of a story's attempt. */
    public static final int ATTEMPT = 1;

    /** What the record has in the place of a coder's state. */
    public static final String STATE = "CODING";

    /** What the record has in the place of a story. */
    public String work() {
        return id;
    }

    ToolInvocation.Caller caller() {
        return new ToolInvocation.Caller(sessionId, id, work(), ATTEMPT, STATE);
    }
}
