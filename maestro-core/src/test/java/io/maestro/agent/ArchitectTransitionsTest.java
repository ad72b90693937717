package io.maestro.agent;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.story.ArchitectState;
import io.maestro.story.CoderState;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ArchitectTransitionsTest {
    @ParameterizedTest
    @EnumSource(ArchitectState.class)
    void everyEdgeOutsideTheTableThrows(ArchitectState from) {
        Set<ArchitectState> forbidden = EnumSet.allOf(ArchitectState.class);
        forbidden.removeAll(ArchitectTransitions.from(from));
        for (ArchitectState to : forbidden) {
            assertThatThrownBy(() -> ArchitectTransitions.check(from, to))
                    .isInstanceOf(IllegalTransitionException.class)
                    .hasMessage("the architect cannot go from " + from + " to " + to + "; from " + from
                            + " it can go to " + ArchitectTransitions.from(from));
        }
        ArchitectTransitions.from(from).forEach(to -> ArchitectTransitions.check(from, to));
    }

    @Test
    void endsAreEndsAndEverythingElseCanFail() {
        for (ArchitectState state : ArchitectState.values()) {
            assertThat(ArchitectTransitions.from(state).isEmpty()).isEqualTo(state.isFinal());
            assertThat(ArchitectTransitions.isAllowed(state, ArchitectState.ERROR))
                    .isEqualTo(!state.isFinal());
        }
    }

    @Test
    void whatCanBeSuspendedCanGoBack() {
        for (ArchitectState state : ArchitectState.values()) {
            assertThat(ArchitectTransitions.isAllowed(ArchitectState.SUSPEND, state))
                    .as("SUSPEND -> %s", state)
                    .isEqualTo(ArchitectTransitions.isAllowed(state, ArchitectState.SUSPEND)
                            || state == ArchitectState.ERROR);
        }
    }

    @Test
    void theTableCannotBeChanged() {
        assertThatThrownBy(
                        () -> ArchitectTransitions.from(ArchitectState.SCOPING).add(ArchitectState.DONE))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void theDiagramHasEveryEdgeOrANoteForIt() {
        assertThat(ArchitectTransitions.toMermaid()).isEqualTo("""
                        stateDiagram-v2
                            [*] --> WAITING
                            WAITING --> SCOPING
                            WAITING --> DISPATCHING
                            SCOPING --> DISPATCHING
                            SCOPING --> SUSPEND
                            DISPATCHING --> MONITORING
                            MONITORING --> EDITING
                            MONITORING --> DONE
                            EDITING --> DISPATCHING
                            EDITING --> MONITORING
                            EDITING --> SUSPEND
                            SUSPEND --> SCOPING
                            SUSPEND --> EDITING
                            DONE --> [*]
                            ERROR --> [*]
                            note left of ERROR: from every state that is no end
                        """);
        for (CoderState from : CoderState.values()) {
            for (CoderState to : CoderState.values()) {
                assertThat(CoderTransitions.toMermaid().contains("    " + from + " --> " + to + "\n"))
                        .as("%s --> %s", from, to)
                        .isEqualTo(CoderTransitions.isAllowed(from, to) && to != CoderState.ERROR);
            }
        }
    }
}
