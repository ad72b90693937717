/**
 * Programs, such as the Claude Code CLI, that work in PLANNING and CODING in the place of a model: their turns, calls, sessions
 * and costs. Called by coders as a {@link io.maestro.team.internal.coder.CoderDriver}; it must never know another state.
 */
@NullMarked
package io.maestro.team.internal.agent.program;

import org.jspecify.annotations.NullMarked;
