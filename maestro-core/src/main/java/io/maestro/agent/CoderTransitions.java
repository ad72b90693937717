package io.maestro.agent;

import static io.maestro.story.CoderState.AWAIT_MERGE;
import static io.maestro.story.CoderState.BUDGET_REVIEW;
import static io.maestro.story.CoderState.CODE_REVIEW;
import static io.maestro.story.CoderState.CODING;
import static io.maestro.story.CoderState.DONE;
import static io.maestro.story.CoderState.ERROR;
import static io.maestro.story.CoderState.PLANNING;
import static io.maestro.story.CoderState.PLAN_REVIEW;
import static io.maestro.story.CoderState.PREPARE_MERGE;
import static io.maestro.story.CoderState.QUESTION;
import static io.maestro.story.CoderState.SETUP;
import static io.maestro.story.CoderState.SUSPEND;
import static io.maestro.story.CoderState.TESTING;
import static io.maestro.story.CoderState.WAITING;

import io.maestro.story.CoderState;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/**
 * Which state of a coder may follow which: the only place that says so. An edge that is not here cannot happen; it throws
 * {@link IllegalTransitionException}.
 */
public final class CoderTransitions {
    private static final TransitionTable<CoderState> TABLE = new TransitionTable<>("coder", CoderState.class, edges());

    private CoderTransitions() {}

    private static Map<CoderState, Set<CoderState>> edges() {
        Map<CoderState, Set<CoderState>> edges = new EnumMap<>(CoderState.class);
        edges.put(WAITING, EnumSet.of(SETUP, ERROR));
        // An express story skips the plan; one that an earlier life has merged is done.
        edges.put(SETUP, EnumSet.of(PLANNING, CODING, DONE, SUSPEND, ERROR));
        edges.put(PLANNING, EnumSet.of(PLAN_REVIEW, QUESTION, BUDGET_REVIEW, SUSPEND, ERROR));
        // DONE: the architect agrees that the story was done before it began.
        edges.put(PLAN_REVIEW, EnumSet.of(CODING, PLANNING, DONE, SUSPEND, ERROR));
        // CODE_REVIEW: there is no difference, so there is nothing to test.
        edges.put(CODING, EnumSet.of(TESTING, CODE_REVIEW, QUESTION, BUDGET_REVIEW, SUSPEND, ERROR));
        edges.put(TESTING, EnumSet.of(CODE_REVIEW, CODING, SUSPEND, ERROR));
        // DONE: the architect agrees that no change was needed.
        edges.put(CODE_REVIEW, EnumSet.of(PREPARE_MERGE, CODING, DONE, SUSPEND, ERROR));
        edges.put(BUDGET_REVIEW, EnumSet.of(PLANNING, CODING, SUSPEND, ERROR));
        edges.put(QUESTION, EnumSet.of(PLANNING, CODING, SUSPEND, ERROR));
        // CODING: a conflict with what others have merged, or tests that fail together with it. QUESTION: how to
        // resolve it.
        edges.put(PREPARE_MERGE, EnumSet.of(AWAIT_MERGE, CODING, QUESTION, SUSPEND, ERROR));
        // PREPARE_MERGE: the target branch has moved since the tests ran.
        edges.put(AWAIT_MERGE, EnumSet.of(DONE, PREPARE_MERGE, CODING, SUSPEND, ERROR));
        // Back to where it came from: every state that talks to a model, a remote repository or a sandbox.
        edges.put(
                SUSPEND,
                EnumSet.of(
                        SETUP,
                        PLANNING,
                        PLAN_REVIEW,
                        CODING,
                        TESTING,
                        CODE_REVIEW,
                        BUDGET_REVIEW,
                        QUESTION,
                        PREPARE_MERGE,
                        AWAIT_MERGE,
                        ERROR));
        return edges;
    }

    /**
     * The states that may follow a state.
     *
     * @param from any state
     * @return an unmodifiable set; empty for {@link CoderState#DONE} and {@link CoderState#ERROR}
     */
    public static Set<CoderState> from(CoderState from) {
        return TABLE.from(from);
    }

    /**
     * Whether a state may follow another.
     *
     * @param from the state before
     * @param to the state after
     * @return true when the table has this edge
     */
    public static boolean isAllowed(CoderState from, CoderState to) {
        return TABLE.isAllowed(from, to);
    }

    /**
     * Throws unless a state may follow another.
     *
     * @param from the state before
     * @param to the state after
     * @throws IllegalTransitionException when the table has no such edge
     */
    public static void check(CoderState from, CoderState to) {
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
