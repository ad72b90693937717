package io.maestro.team.internal.spec;

import io.maestro.error.RetriableException;
import io.maestro.record.AuditLog;
import io.maestro.story.ArchitectState;
import io.maestro.story.Spec;
import io.maestro.story.SpecResult;
import io.maestro.story.StoryResult;
import io.maestro.team.internal.machine.MachineRun;
import io.maestro.team.internal.machine.StopSignal;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The work on one specification, while it goes on. Used by one thread only. */
final class SpecRun extends MachineRun<ArchitectState> {
    final Spec spec;
    final SpecProgress progress;

    /** The stories that are being watched, by their ids. */
    final Map<String, CompletableFuture<StoryResult>> watched = new LinkedHashMap<>();

    /** The conversation of SCOPING or EDITING; kept while the service is down. */
    @Nullable
    SpecConversation conversation;

    private @Nullable String error;

    SpecRun(Spec spec, SpecProgress progress, ArchitectState state, StopSignal stop) {
        super(state, stop);
        this.spec = spec;
        this.progress = progress;
    }

    /** The architect has completed the state, or will not: its tools are closed. */
    void endConversation() {
        SpecConversation open = conversation;
        conversation = null;
        if (open != null) {
            open.context().tools().close();
        }
    }

    /** Notes how it ends. */
    void ended(SpecResult.Outcome outcome, String why) {
        progress.ended(outcome);
        error = why;
    }

    @Override
    public @Nullable ArchitectState suspendedIn() {
        return progress.suspended();
    }

    @Override
    protected void suspendIn(ArchitectState origin, String shown) {
        progress.suspendIn(origin);
    }

    @Override
    protected @Nullable Long workedAt(RetriableException failure) {
        SpecConversation open = conversation;
        return open == null ? null : open.meter().answeredAt();
    }

    @Override
    protected boolean isTakenUp() {
        SpecConversation open = conversation;
        return open != null && open.meter().usage().totalTokens() > 0;
    }

    /** The specification as it stands, for the record. */
    AuditLog.SpecRecord toRecord(String sessionId, ArchitectState as) {
        return new AuditLog.SpecRecord(
                spec.id(), sessionId, spec.title(), spec.content(), as, progress.toJson(), error, Instant.now());
    }

    @Override
    protected String kind() {
        return "specification";
    }

    @Override
    protected String id() {
        return spec.id();
    }

    @Override
    public String toString() {
        return "specification " + spec.id();
    }
}
