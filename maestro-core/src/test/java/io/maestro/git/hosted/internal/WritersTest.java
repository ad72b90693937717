package io.maestro.git.hosted.internal;

import static io.maestro.testing.AssertThat.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class WritersTest {
    private final Set<String> may = new HashSet<>(Set.of("ann"));
    private final List<String> asked = new ArrayList<>();

    private Writers writers(Duration kept) {
        return new Writers(
                person -> {
                    asked.add(person);
                    return may.contains(person);
                },
                kept);
    }

    @Test
    void inALookEachPersonIsAskedAboutOnceAndOfNobodyNothingIsAsked() {
        Predicate<String> look = writers(Duration.ZERO).look();
        for (int i = 0; i < 3; i++) {
            assertThat(look.test("ann")).isTrue();
            assertThat(look.test("eve")).isFalse();
            assertThat(look.test("")).isFalse();
        }
        assertThat(asked).containsExactly("ann", "eve");
    }

    @Test
    void whoLosesTheRightLosesItAtTheNextLook() {
        Writers writers = writers(Duration.ofHours(1));
        assertThat(writers.look().test("ann")).isTrue();
        may.clear();
        assertThat(writers.look().test("ann")).isFalse();
        assertThat(writers.mayWriteNow("ann")).isFalse();
        assertThat(asked).containsExactly("ann", "ann");
    }

    @Test
    void whoGetsTheRightIsHeardOnceTheAnswerBeforeIsOld() {
        Writers patient = writers(Duration.ofHours(1));
        Writers writers = writers(Duration.ZERO);
        assertThat(patient.look().test("bob") || writers.look().test("bob")).isFalse();
        may.add("bob");
        assertThat(patient.look().test("bob")).isFalse();
        assertThat(writers.look().test("bob")).isTrue();
    }
}
