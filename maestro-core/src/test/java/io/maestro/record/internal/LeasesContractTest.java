package io.maestro.record.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What {@link Leases} promises, on every database; two stores stand for two processes. */
@Timeout(120)
@ParameterizedClass
@EnumSource(Backend.class)
class LeasesContractTest {
    private static final Duration LONG = Duration.ofHours(1);
    private static final Duration SHORT = Duration.ofMillis(1);

    @Parameter
    Backend backend;

    @TempDir
    Path directory;

    private String url;
    private Store store;
    private Store otherStore;
    private Leases leases;
    private Leases others;

    @BeforeEach
    void open() {
        url = backend.newRecord(directory);
        store = Backend.open(url);
        otherStore = Backend.open(url);
        leases = store.leases();
        others = otherStore.leases();
    }

    @AfterEach
    void close() {
        store.close();
        otherStore.close();
    }

    @Test
    void leasesTheFirstThatNobodyHolds() {
        assertThat(leases.acquire(List.of("c", "a", "b"), "s1", LONG)).contains("c");
        assertThat(others.acquire(List.of("c", "a", "b"), "s2", LONG)).contains("a");
        assertThat(leases.acquire(List.of("b", "a", "b"), "s1", LONG)).contains("b");
        assertThat(others.acquire(List.of("c", "b"), "s2", LONG)).isEmpty();
        assertThat(leases.acquire(List.of(), "s1", LONG)).isEmpty();
    }

    @Test
    void doesNotLeaseToASessionWhatItHoldsItself() {
        leases.acquire(List.of("a"), "s1", LONG);

        assertThat(leases.acquire(List.of("a"), "s1", LONG)).isEmpty();
        assertThat(leases.acquire(List.of("a", "b"), "s1", LONG)).contains("b");
    }

    @Test
    void leasesToAnotherSessionWhatHasExpired() {
        leases.acquire(List.of("a"), "s1", SHORT);

        Acquiring.poll(others, "a", "s2", LONG);
        assertThat(leases.renew("s1", LONG)).isEmpty();
        assertThat(leases.acquire(List.of("a"), "s1", LONG)).isEmpty();
    }

    @Test
    void leasesTheSameToASessionThatHadLostIt() {
        leases.acquire(List.of("a"), "s1", SHORT);
        Acquiring.poll(others, "a", "s2", LONG);
        others.release("a", "s2");

        assertThat(leases.acquire(List.of("a"), "s1", LONG)).contains("a");
        assertThat(others.renew("s2", LONG)).isEmpty();
    }

    @Test
    void renewsWhatHasExpiredButWasNotTakenOver() {
        leases.acquire(List.of("a"), "s1", SHORT);
        leases.acquire(List.of("b"), "s1", SHORT);
        leases.acquire(List.of("c"), "s1", LONG);
        leases.acquire(List.of("d"), "s1", LONG);
        leases.release("d", "s1");
        Acquiring.poll(others, "a", "s2", LONG);

        // By now the lease of b has expired, too: it began before and was as short.
        assertThat(leases.acquire(List.of("b"), "s1", LONG))
                .as("somebody of its own may still work on it")
                .isEmpty();
        assertThat(leases.renew("s1", LONG)).containsExactlyInAnyOrder("b", "c");
        assertThat(others.acquire(List.of("b", "c"), "s2", LONG)).isEmpty();
        assertThat(others.renew("s2", LONG)).containsExactly("a");
    }

    @Test
    void shortensALeaseThatIsRenewedForLess() {
        leases.acquire(List.of("a"), "s1", LONG);
        assertThat(leases.renew("s1", SHORT)).containsExactly("a");

        Acquiring.poll(others, "a", "s2", LONG);
    }

    @Test
    void givesBackOnlyWhatTheSessionHolds() {
        leases.acquire(List.of("a"), "s1", LONG);
        others.release("a", "s2");
        others.release("unknown", "s2");
        assertThat(others.acquire(List.of("a"), "s2", LONG)).isEmpty();

        leases.release("a", "s1");
        leases.release("a", "s1");
        assertThat(others.acquire(List.of("a"), "s2", LONG)).contains("a");
    }

    @Test
    void endsTheLeasesOfAllOtherSessions() {
        leases.acquire(List.of("a"), "s1", LONG);
        others.acquire(List.of("b"), "s2", LONG);
        others.acquire(List.of("c"), "s3", LONG);

        leases.releaseAllBut("s1");

        assertThat(leases.renew("s1", LONG)).containsExactly("a");
        assertThat(leases.renew("s2", LONG)).isEmpty();
        assertThat(leases.acquire(List.of("c", "b"), "s1", LONG)).contains("c");
        assertThat(leases.acquire(List.of("c", "b"), "s1", LONG)).contains("b");
    }

    @Test
    void keepsLeasesWhenTheStoreIsOpenedAgain() {
        leases.acquire(List.of("a"), "s1", LONG);
        store.close();
        store = Backend.open(url);

        assertThat(store.leases().acquire(List.of("a"), "s2", LONG)).isEmpty();
        assertThat(store.leases().renew("s1", LONG)).containsExactly("a");
    }

    @Test
    void refusesALeaseOfNoTime() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> leases.acquire(List.of("a"), "s1", Duration.ZERO))
                .withMessageContaining("PT0S");
        assertThatIllegalArgumentException().isThrownBy(() -> leases.renew("s1", Duration.ofSeconds(-1)));
        assertThatExceptionOfType(NullPointerException.class)
                .isThrownBy(() -> leases.acquire(List.of("a"), null, LONG));
    }

    @Test
    void takesAnyName() {
        String odd = Leases.story("a'b\"c\\d😀\n,[]{}?");

        assertThat(leases.acquire(List.of(odd), "s1", LONG)).contains(odd);
        assertThat(others.acquire(List.of(odd, "nul\u0000"), "s2", LONG)).contains("nul\u0000");
        assertThat(others.acquire(List.of("nul\u0000"), "s1", LONG)).isEmpty();
    }

    @Test
    void leasesEachOnceHoweverManyWantThem() throws Exception {
        List<String> all = IntStream.range(0, 200).mapToObj(i -> "story/" + i).toList();
        ConcurrentLinkedQueue<String> taken = new ConcurrentLinkedQueue<>();
        List<Callable<Void>> tasks = new ArrayList<>();
        for (int thread = 0; thread < 8; thread++) {
            String session = "s" + thread;
            Leases mine = thread % 2 == 0 ? leases : others;
            // All want the same first, or half of them the last.
            List<String> wanted = new ArrayList<>(all);
            if (thread % 4 == 3) {
                Collections.reverse(wanted);
            }
            tasks.add(() -> {
                Optional<String> acquired = mine.acquire(wanted, session, LONG);
                while (acquired.isPresent()) {
                    taken.add(acquired.get());
                    acquired = mine.acquire(wanted, session, LONG);
                }
                return null;
            });
        }

        Parallel.run(tasks);

        assertThat(taken).hasSameSizeAs(all).containsExactlyInAnyOrderElementsOf(all);
    }
}
