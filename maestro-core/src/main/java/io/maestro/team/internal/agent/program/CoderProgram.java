package io.maestro.team.internal.agent.program;

import io.maestro.agent.spi.AgentProvider;

/**
 * The program that works in PLANNING and CODING.
 *
 * @param id of its mode
 * @param mode closed by the team
 */
public record CoderProgram(String id, AgentProvider mode) {}
