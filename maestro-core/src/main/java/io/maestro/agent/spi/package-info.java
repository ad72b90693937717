/**
 * The service provider interface of agents: how a program such as the Claude Code CLI becomes an {@link io.maestro.agent.Agent},
 * in a team or alone. An {@link io.maestro.agent.spi.AgentFactory} makes an {@link io.maestro.agent.spi.AgentProvider} for each Maestro,
 * which opens an agent with an {@link io.maestro.agent.spi.AgentContext}: the tools, the budget and the record that it works with.
 */
@NullMarked
package io.maestro.agent.spi;

import org.jspecify.annotations.NullMarked;
