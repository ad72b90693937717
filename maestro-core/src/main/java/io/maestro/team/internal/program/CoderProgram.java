package io.maestro.team.internal.program;

import io.maestro.agents.AgentProvider;

/**
 * The program that works in PLANNING and CODING.
 *
 * @param id of its mode
 * @param mode closed by the team
 */
public record CoderProgram(String id, AgentProvider mode) {}
