package io.maestro.team.internal.architect;

import io.maestro.agent.Architect;
import io.maestro.record.AuditLog;
import io.maestro.story.Story;
import io.maestro.team.internal.loop.Meter;
import io.maestro.team.internal.machine.StopCause;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Who asks the architect: a story, in one of its steps. */
public interface Requester {
    /** The story. */
    Story story();

    /** Which attempt; from 1. */
    int attempt();

    /** Which step, which is a state that was entered; counted over the attempt. */
    int step();

    /** The coder that waits. */
    String agentId();

    /** This life of Maestro. */
    String sessionId();

    /** Why its work is to stop; empty while it is to go on. */
    Optional<StopCause> stopCause();

    /** Counts what the architect's model uses. */
    Meter meter();

    /** The branch on which its work is committed, and may be proposed; empty while there is none. */
    default Optional<String> committedBranch() {
        return Optional.empty();
    }

    /** The commit whose instructions hold for the attempt; null when none is known. */
    @Nullable
    String instructionsCommit();

    /**
     * The facts of a request for people, who have no conversation with the coder and no tools: with all that they decide on.
     *
     * @param kind of the request
     * @param facts as a model gets them
     * @param earlier what the story's coders have asked before
     */
    default Map<String, String> factsForPeople(
            Architect.Kind kind, Map<String, String> facts, Supplier<List<AuditLog.Effect>> earlier) {
        return facts;
    }

    /** The newest message of the chat that is not the story's business. */
    long chatSince();
}
