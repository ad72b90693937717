package io.maestro.docker.internal.compose;

import io.maestro.tools.ToolException;

/** Where the compose tools get the stack of the agent that calls them; put in as a service of the tools' context. */
public interface AgentStacks {
    /**
     * The stack of an agent, started or not.
     *
     * @throws ToolException when the agent has none, as one that works on no story
     */
    ComposeStack stack(String agentId) throws ToolException;
}
