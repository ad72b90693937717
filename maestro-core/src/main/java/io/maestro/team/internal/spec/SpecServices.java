package io.maestro.team.internal.spec;

import io.maestro.budget.internal.CostControl;
import io.maestro.team.internal.architect.ArchitectSandbox;
import io.maestro.team.internal.dispatch.LeaseKeeper;
import io.maestro.team.internal.dispatch.StoryDispatch;
import io.maestro.team.internal.loop.AgentNotes;
import io.maestro.team.internal.loop.Resources;
import io.maestro.team.internal.loop.ToolLoop;
import io.maestro.team.internal.machine.Events;

/**
 * What the work on specifications needs.
 *
 * @param architectId who does it; also the name of its directory
 * @param resources settings, record and what else the team shares
 * @param loop runs the model and its tools
 * @param events who watches
 * @param leases the leases of this session
 * @param stories the coders' side
 * @param notes the chat
 * @param sandbox where it runs commands
 */
public record SpecServices(
        String architectId,
        Resources resources,
        ToolLoop loop,
        Events events,
        LeaseKeeper leases,
        StoryDispatch stories,
        AgentNotes notes,
        ArchitectSandbox sandbox) {
    /** Keeps the hard limits on cost. */
    CostControl costs() {
        return new CostControl(
                resources.store().spending(),
                resources.sessionId(),
                resources.settings().limits(),
                resources.settings().agents().prices()::cost);
    }
}
