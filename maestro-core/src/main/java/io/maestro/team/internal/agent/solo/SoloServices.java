package io.maestro.team.internal.agent.solo;

import io.maestro.agent.Limits;
import io.maestro.environment.Environment;
import io.maestro.llm.LlmStreamListener;
import io.maestro.prompt.internal.Prompts;
import io.maestro.record.internal.Store;
import io.maestro.runtime.ToolInvocation;
import io.maestro.runtime.ToolRuntime;
import io.maestro.secrets.Redactor;
import io.maestro.team.internal.loop.Meter;
import io.maestro.team.internal.machine.Events;
import io.maestro.tools.AgentTools;

/**
 * What an agent that works alone is recorded, bounded and told by.
 *
 * @param id who works
 * @param role as what
 * @param sessionId this life of the agent, in the record
 * @param instructions the system prompt
 * @param tools what it may call
 * @param environment where commands run; closed by the agent
 * @param runtime where its calls run; closed by the agent
 * @param prompts what it is told
 * @param store the record
 * @param redactor takes the secrets out of what it is told
 * @param limits what all its work may cost
 * @param meter what it has cost so far
 * @param events who watches
 * @param stream who is told a program's text while it is written
 */
public record SoloServices(
        String id,
        String role,
        String sessionId,
        String instructions,
        AgentTools tools,
        Environment environment,
        ToolRuntime runtime,
        Prompts prompts,
        Store store,
        Redactor redactor,
        Limits limits,
        Meter meter,
        Events events,
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
