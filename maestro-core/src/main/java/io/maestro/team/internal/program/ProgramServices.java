package io.maestro.team.internal.program;

import io.maestro.agent.Limits;
import io.maestro.audit.Redactor;
import io.maestro.audit.Store;
import io.maestro.prompt.internal.Prompts;
import io.maestro.runtime.ToolRuntime;
import io.maestro.team.internal.coder.CoderContexts;
import io.maestro.team.internal.loop.AgentNotes;
import io.maestro.team.internal.machine.Events;

/**
 * What the work of a program is recorded, bounded and told by.
 *
 * @param program the program
 * @param runtime where its calls run
 * @param contexts tools and prompts of a coder
 * @param prompts what it is told
 * @param store the record
 * @param redactor takes the secrets out of what the program is told
 * @param limits what a story may cost
 * @param notes the chat
 * @param events who watches
 * @param isolates whether commands run in containers, which calls of tools may replace
 */
public record ProgramServices(
        CoderProgram program,
        ToolRuntime runtime,
        CoderContexts contexts,
        Prompts prompts,
        Store store,
        Redactor redactor,
        Limits limits,
        AgentNotes notes,
        Events events,
        boolean isolates) {}
