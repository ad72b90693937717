package io.maestro.team.internal;

import io.maestro.agent.Limits;
import io.maestro.audit.Redactor;
import io.maestro.audit.Store;
import io.maestro.prompt.internal.Prompts;
import io.maestro.runtime.ToolRuntime;

/**
 * What the work of a program is recorded, bounded and told by.
 *
 * @param program the program
 * @param runtime where its calls run
 * @param desks what a coder has before it
 * @param prompts what it is told
 * @param store the record
 * @param redactor takes the secrets out of what the program is told
 * @param limits what a story may cost
 * @param notes the chat
 * @param events who watches
 * @param isolates whether commands run in containers, which calls of tools may replace
 */
record ProgramParts(
        CoderProgram program,
        ToolRuntime runtime,
        Desks desks,
        Prompts prompts,
        Store store,
        Redactor redactor,
        Limits limits,
        SharedNotes notes,
        Events events,
        boolean isolates) {}
