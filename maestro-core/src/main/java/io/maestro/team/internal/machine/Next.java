package io.maestro.team.internal.machine;

import io.maestro.event.MaestroEvent;
import io.maestro.record.AuditLog;
import java.util.List;

/**
 * Where a run goes next, and why.
 *
 * @param state the next state
 * @param reason why; its first line is recorded
 * @param stories what is written together with the change of state
 * @param events listeners are told of them when that is written
 */
public record Next<S>(S state, String reason, List<AuditLog.StoryRecord> stories, List<MaestroEvent> events) {
    /** A change of state alone. */
    public Next(S state, String reason) {
        this(state, reason, List.of(), List.of());
    }
}
