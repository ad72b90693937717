/**
 * Agents that work alone, without a story, a repository or an architect. It must never know a state machine: how such an agent
 * ends, what it may use and what it has cost is decided here.
 */
@NullMarked
package io.maestro.team.internal.agent.solo;

import org.jspecify.annotations.NullMarked;
