package io.maestro.agent;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.story.CoderState;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CoderTransitionsTest {
    @ParameterizedTest
    @EnumSource(CoderState.class)
    void everyEdgeOutsideTheTableThrows(CoderState from) {
        Set<CoderState> forbidden = EnumSet.allOf(CoderState.class);
        forbidden.removeAll(CoderTransitions.from(from));
        for (CoderState to : forbidden) {
            assertThatThrownBy(() -> CoderTransitions.check(from, to))
                    .isInstanceOf(IllegalTransitionException.class)
                    .hasMessageContaining("from " + from + " to " + to);
        }
        CoderTransitions.from(from).forEach(to -> CoderTransitions.check(from, to));
    }

    @Test
    void endsAreEndsAndEverythingElseCanFail() {
        for (CoderState state : CoderState.values()) {
            assertThat(CoderTransitions.from(state).isEmpty()).isEqualTo(state.isFinal());
            assertThat(CoderTransitions.isAllowed(state, CoderState.ERROR)).isEqualTo(!state.isFinal());
        }
    }

    @Test
    void whatCanBeSuspendedCanGoBack() {
        for (CoderState state : CoderState.values()) {
            assertThat(CoderTransitions.isAllowed(CoderState.SUSPEND, state))
                    .as("SUSPEND -> %s", state)
                    .isEqualTo(CoderTransitions.isAllowed(state, CoderState.SUSPEND) || state == CoderState.ERROR);
        }
    }

    @Test
    void theTableCannotBeChanged() {
        assertThatThrownBy(() -> CoderTransitions.from(CoderState.DONE).add(CoderState.CODING))
                .isInstanceOf(UnsupportedOperationException.class);
    }
}
