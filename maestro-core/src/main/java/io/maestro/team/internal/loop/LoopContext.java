package io.maestro.team.internal.loop;

import io.maestro.tools.AgentTools;

/** What an agent has before it while it works on a story in one state: its conversation and its tools. */
public record LoopContext(ModelConversation conversation, AgentTools tools) {}
