package io.maestro.docker;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.Placement.Candidate;
import io.maestro.error.RetriableException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PlacementTest {
    private static final DockerHost A = host("a");
    private static final DockerHost B = host("b");
    private static final DockerHost C = host("c");

    private static DockerHost host(String name) {
        return DockerHost.builder().name(name).build();
    }

    private static List<Candidate> all(Candidate... candidates) {
        return List.of(candidates);
    }

    @Test
    void theLeastLoadedHasTheFewestAgentsForItsProcessors() {
        Placement placement = Placement.leastLoaded();

        assertThat(placement.choose("x", all(new Candidate(A, 2, 2, true), new Candidate(B, 3, 8, true))))
                .isEqualTo(B);
        assertThat(placement.choose("x", all(new Candidate(A, 1, 4, true), new Candidate(B, 1, 2, true))))
                .isEqualTo(A);
        assertThat(placement.choose("x", all(new Candidate(A, 1, 2, true), new Candidate(B, 4, 8, true))))
                .isEqualTo(A);
        assertThat(placement.choose("x", all(new Candidate(A, 0, 8, false), new Candidate(B, 9, 1, true))))
                .isEqualTo(B);
    }

    @Test
    void roundRobinTakesOneAfterTheOtherAndSkipsThoseThatAreDown() {
        Placement placement = Placement.roundRobin();
        List<Candidate> candidates =
                all(new Candidate(A, 9, 1, true), new Candidate(B, 0, 8, false), new Candidate(C, 5, 1, true));

        assertThat(List.of(
                        placement.choose("1", candidates),
                        placement.choose("2", candidates),
                        placement.choose("3", candidates),
                        placement.choose("4", candidates)))
                .containsExactly(A, C, C, A);
        assertThat(Placement.roundRobin().choose("1", candidates)).isEqualTo(A);
    }

    @Test
    void fixedPlacesStayAndOthersAreSpread() {
        Placement placement = Placement.fixed(Map.of("one", A, "gone", C));
        List<Candidate> candidates = all(new Candidate(A, 5, 1, true), new Candidate(B, 0, 1, true));

        assertThat(placement.choose("one", candidates)).isEqualTo(A);
        assertThat(placement.choose("two", candidates)).isEqualTo(B);
        assertThatThrownBy(() -> placement.choose("gone", candidates))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("gone")
                .hasMessageContaining("[a, b]");
        assertThatThrownBy(() -> placement.choose("one", all(new Candidate(A, 0, 1, false), candidates.get(1))))
                .isInstanceOf(DockerUnavailableException.class)
                .hasMessageContaining("a");
    }

    @Test
    void whenAllAreDownItMayBeTriedAgain() {
        List<Candidate> candidates = all(new Candidate(A, 0, 1, false), new Candidate(B, 0, 1, false));

        for (Placement placement :
                List.of(Placement.leastLoaded(), Placement.roundRobin(), Placement.fixed(Map.of()))) {
            assertThatThrownBy(() -> placement.choose("coder-001", candidates))
                    .isInstanceOf(RetriableException.class)
                    .hasMessageContaining("coder-001")
                    .hasMessageContaining("[a, b]");
        }
    }

    @Test
    void numbersAreChecked() {
        assertThatThrownBy(() -> new Candidate(A, -1, 1, true)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Candidate(A, 0, 0, true)).isInstanceOf(IllegalArgumentException.class);
    }
}
