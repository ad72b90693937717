package io.maestro.team.internal.coder;

import io.maestro.team.internal.architect.Effects;
import io.maestro.team.internal.dispatch.MergeTurns;
import io.maestro.team.internal.dispatch.WorkspaceMarkers;
import io.maestro.team.internal.loop.AgentNotes;
import io.maestro.team.internal.loop.Resources;
import io.maestro.team.internal.machine.Events;

/**
 * What the work on stories needs.
 *
 * @param resources settings, record and what else the team shares
 * @param events who watches
 * @param notes the chat
 * @param effects asks the architect
 * @param driver works in PLANNING and CODING
 * @param bell ends the waits for the forge
 * @param turns whose turn it is to be merged
 * @param workspaces the open ones, for tools that read them
 * @param markers whose work each workspace holds
 */
public record CoderServices(
        Resources resources,
        Events events,
        AgentNotes notes,
        Effects effects,
        CoderDriver driver,
        ForgeBell bell,
        MergeTurns turns,
        Workspaces workspaces,
        WorkspaceMarkers markers) {}
