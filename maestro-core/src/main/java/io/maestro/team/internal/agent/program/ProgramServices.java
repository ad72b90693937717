package io.maestro.team.internal.agent.program;

import io.maestro.runtime.ToolRuntime;
import io.maestro.team.internal.coder.CoderContexts;
import io.maestro.team.internal.loop.AgentNotes;
import io.maestro.team.internal.loop.Resources;
import io.maestro.team.internal.machine.Events;

/**
 * What the work of a program is recorded, bounded and told by.
 *
 * @param program the program
 * @param runtime where its calls run
 * @param contexts tools and prompts of a coder
 * @param resources settings, record and what else the team shares
 * @param notes the chat
 * @param events who watches
 */
public record ProgramServices(
        CoderProgram program,
        ToolRuntime runtime,
        CoderContexts contexts,
        Resources resources,
        AgentNotes notes,
        Events events) {}
