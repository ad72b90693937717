/**
 * The Claude Code CLI: finding or installing it, running it, and keeping the key of the API away from it.
 *
 * <ul>
 *   <li>{@link io.maestro.claude.ClaudeCodeMode} makes it the coder of a {@code Maestro}; most programs need nothing else.
 *   <li>{@link io.maestro.claude.ClaudeCode} runs it, wherever an executor runs commands; a {@link
 *       io.maestro.claude.ClaudeRun} is one process with one session. What it prints is read by a {@link
 *       io.maestro.claude.ClaudeStreamParser}, as {@link io.maestro.claude.ClaudeEvent}s.
 *   <li>{@link io.maestro.claude.ApiGateway} is what it asks in the place of the API: the key stays on this machine. A {@link
 *       io.maestro.claude.SocketDirectory} is where containers reach it without a network.
 *   <li>{@link io.maestro.claude.ClaudeFinder} finds it, or brings it there.
 * </ul>
 *
 * <p>Tools of one's own reach it over a server of the package {@link io.maestro.mcp}.
 */
@NullMarked
package io.maestro.claude;

import org.jspecify.annotations.NullMarked;
