package io.maestro.team.internal;

import io.maestro.agent.ArchitectState;
import io.maestro.audit.Store;
import io.maestro.error.RetriableException;
import io.maestro.story.Spec;
import io.maestro.story.StoryResult;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The work on one specification, while it goes on. Used by one thread only. */
final class SpecRun {
    final Spec spec;
    final SpecProgress progress;
    /** The stories that are being watched, by their ids. */
    final Map<String, CompletableFuture<StoryResult>> watched = new LinkedHashMap<>();

    ArchitectState state;

    /** The conversation of SCOPING or EDITING; kept while the service is down. */
    @Nullable
    SpecVisit visit;

    /** What is down, with what it says of the time; null after a restart. */
    @Nullable
    RetriableException suspendedBy;

    @Nullable
    String error;

    SpecRun(Spec spec, SpecProgress progress, ArchitectState state) {
        this.spec = spec;
        this.progress = progress;
        this.state = state;
        // While the host was off nobody has waited.
        progress.suspensions = 0;
        progress.suspendedSince = 0;
    }

    /** The specification as it stands, for the record. */
    Store.SpecRecord toRecord(String sessionId, ArchitectState as) {
        return new Store.SpecRecord(
                spec.id(), sessionId, spec.title(), spec.content(), as, progress.toJson(), error, Instant.now());
    }
}
