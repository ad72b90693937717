package io.maestro.git.hosted.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

    private static ApiException error(ApiException.ApiFault kind, int status) {
        return new ApiException(kind, status, "no", null);
    }

    private Writers failing(AtomicReference<ApiException> failure, Duration kept) {
        return new Writers(
                person -> {
                    asked.add(person);
                    if (person.equals("eve") && failure.get() != null) {
                        throw failure.get();
                    }
                    return may.contains(person);
                },
                kept);
    }

    @ParameterizedTest
    @CsvSource({
        "REFUSED, 400",
        "DENIED, 403",
        "REFUSED, 410",
        "DENIED, 413",
        "REFUSED, 422",
        "REFUSED, 451",
        "DENIED, 301"
    })
    void anErrorAboutOnePersonIsNoRightAndIsNotKept(ApiException.ApiFault kind, int status) {
        AtomicReference<ApiException> failure = new AtomicReference<>(error(kind, status));
        Writers writers = failing(failure, Duration.ofHours(1));
        Writers.WriterLookup look = writers.look();
        assertThat(look.test("eve")).isFalse();
        assertThat(look.test("ann")).isTrue();
        assertThat(look.isWhole()).isTrue();
        may.add("eve");
        failure.set(null);
        assertThat(writers.look().test("eve")).isTrue();
        failure.set(error(kind, status));
        look = writers.look();
        assertThat(look.test("eve")).isFalse();
        assertThat(look.isWhole()).as("whoever had the right may have it").isFalse();
    }

    @Test
    void aServerThatFailsTellsNothingAboutAPersonUntilItHasToldOthersForLong() {
        AtomicReference<ApiException> failure = new AtomicReference<>(error(ApiException.ApiFault.LOST, 503));
        for (Duration kept : List.of(Duration.ofHours(1), Duration.ZERO)) {
            Writers writers = failing(failure, kept);
            for (int i = 0; i < 2; i++) {
                Writers.WriterLookup look = writers.look();
                assertThat(look.test("eve")).isFalse();
                assertThat(look.isWhole()).isFalse();
            }
            assertThat(writers.look().test("ann")).isTrue();
            Writers.WriterLookup look = writers.look();
            assertThat(look.test("eve")).isFalse();
            assertThat(look.isWhole()).isEqualTo(kept.isZero());
        }
    }

    @ParameterizedTest
    @CsvSource({"DENIED, 401", "LIMITED, 429", "LIMITED, 403", "LOST, 0", "DENIED, 0"})
    void anOutageIsAboutNobody(ApiException.ApiFault kind, int status) {
        ApiException failure = error(kind, status);
        Writers writers = failing(new AtomicReference<>(failure), Duration.ZERO);
        assertThatThrownBy(() -> writers.look().test("eve")).isSameAs(failure);
    }

    @Test
    void inEachListTheServerIsAskedAboutFewStrangersAndAllWhoHadTheRight() {
        Writers writers = writers(Duration.ofHours(1));
        assertThat(writers.look().test("ann")).isTrue();
        asked.clear();
        Writers.WriterLookup look = writers.look();
        for (int i = 0; i < Writers.QUESTIONS; i++) {
            assertThat(look.test("eve" + i)).isFalse();
        }
        assertThat(look.isWhole()).isTrue();
        may.add("bob");
        assertThat(look.test("bob")).isFalse();
        assertThat(look.isWhole()).isFalse();
        assertThat(look.test("ann")).isTrue();
        assertThat(asked).hasSize(Writers.QUESTIONS + 1);
        look = writers.look();
        for (int i = 0; i < Writers.QUESTIONS; i++) {
            assertThat(look.test("eve" + i)).isFalse();
        }
        assertThat(look.test("bob")).as("strangers are remembered").isTrue();
        assertThat(look.isWhole()).isTrue();
    }
}
