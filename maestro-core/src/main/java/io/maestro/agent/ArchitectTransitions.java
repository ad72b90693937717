package io.maestro.agent;

import static io.maestro.story.ArchitectState.DISPATCHING;
import static io.maestro.story.ArchitectState.DONE;
import static io.maestro.story.ArchitectState.EDITING;
import static io.maestro.story.ArchitectState.ERROR;
import static io.maestro.story.ArchitectState.MONITORING;
import static io.maestro.story.ArchitectState.SCOPING;
import static io.maestro.story.ArchitectState.SUSPEND;
import static io.maestro.story.ArchitectState.WAITING;

import io.maestro.story.ArchitectState;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/**
 * Which state of an architect may follow which: the only place that says so. An edge that is not here cannot happen; it throws
 * {@link IllegalTransitionException}.
 */
public final class ArchitectTransitions {
    private static final TransitionTable<ArchitectState> TABLE =
            new TransitionTable<>("architect", ArchitectState.class, edges());

    private ArchitectTransitions() {}

    private static Map<ArchitectState, Set<ArchitectState>> edges() {
        Map<ArchitectState, Set<ArchitectState>> edges = new EnumMap<>(ArchitectState.class);
        // DISPATCHING: an earlier life, which was cancelled or failed, has made the stories; they are gone on with.
        edges.put(WAITING, EnumSet.of(SCOPING, DISPATCHING, ERROR));
        edges.put(SCOPING, EnumSet.of(DISPATCHING, SUSPEND, ERROR));
        edges.put(DISPATCHING, EnumSet.of(MONITORING, ERROR));
        edges.put(MONITORING, EnumSet.of(EDITING, DONE, ERROR));
        // DISPATCHING: the story is rewritten and queued again. MONITORING: it is given up.
        edges.put(EDITING, EnumSet.of(DISPATCHING, MONITORING, SUSPEND, ERROR));
        // Back to where it came from: every state that talks to a model or a remote repository.
        edges.put(SUSPEND, EnumSet.of(SCOPING, EDITING, ERROR));
        return edges;
    }

    /**
     * The states that may follow a state.
     *
     * @param from any state
     * @return an unmodifiable set; empty for {@link ArchitectState#DONE} and {@link ArchitectState#ERROR}
     */
    public static Set<ArchitectState> from(ArchitectState from) {
        return TABLE.from(from);
    }

    /**
     * Whether a state may follow another.
     *
     * @param from the state before
     * @param to the state after
     * @return true when the table has this edge
     */
    public static boolean isAllowed(ArchitectState from, ArchitectState to) {
        return TABLE.isAllowed(from, to);
    }

    /**
     * Throws unless a state may follow another.
     *
     * @param from the state before
     * @param to the state after
     * @throws IllegalTransitionException when the table has no such edge
     */
    public static void check(ArchitectState from, ArchitectState to) {
        TABLE.check(from, to);
    }

    /**
     * Draws the table.
     *
     * @return a state diagram in the language of Mermaid, one edge a line; edges that every state has are a note
     */
    public static String toMermaid() {
        return TABLE.toMermaid();
    }
}
