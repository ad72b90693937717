package io.maestro.team.internal.dispatch;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.Mockito.mock;

import io.maestro.record.AuditLog;
import io.maestro.record.StoreException;
import io.maestro.record.internal.Leases;
import io.maestro.record.internal.Store;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class LeaseKeeperTest {
    private static final Duration SHORT = Duration.ofMillis(600);
    private static final Duration LONG = Duration.ofHours(1);

    @TempDir
    Path directory;

    private Store store;

    /** The real leases, which fail while they are told to. */
    final class FailingLeases {
        private final Leases mock = mock(Leases.class, delegatesTo(this));
        private final BlockingQueue<Set<String>> renewals = new LinkedBlockingQueue<>();
        private final List<String> log = Collections.synchronizedList(new ArrayList<>());
        private volatile boolean failing;
        private volatile Runnable onRelease = () -> {};
        /** What is given back is given back, but nobody is told. */
        private volatile boolean answersGetLost;

        private final AtomicInteger failures = new AtomicInteger();

        private void answer() {
            if (failing) {
                failures.incrementAndGet();
                throw new StoreException("the database is away", null);
            }
        }

        public Optional<String> acquire(List<String> wanted, String sessionId, Duration time) {
            answer();
            log.add("acquire " + wanted);
            return store.leases().acquire(wanted, sessionId, time);
        }

        public Set<String> renew(String sessionId, Duration time) {
            answer();
            Set<String> renewed = store.leases().renew(sessionId, time);
            renewals.add(renewed);
            return renewed;
        }

        public void release(String leased, String sessionId) {
            answer();
            log.add("release [" + leased + "]");
            onRelease.run();
            store.leases().release(leased, sessionId);
            if (answersGetLost) {
                throw new StoreException("the connection is lost", null);
            }
        }
    }

    private final FailingLeases leases = new FailingLeases();

    @BeforeEach
    void open() {
        store = Store.sqlite(directory.resolve("record.db"), text -> text);
        for (String session : List.of("own", "other")) {
            store.beginSession(new AuditLog.Session(session, "r", Instant.now(), 1, null));
        }
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void whatIsHeldIsRenewedAgainAndAgain() throws Exception {
        try (LeaseKeeper keeper = new LeaseKeeper(leases.mock, "own", SHORT, true)) {
            assertThat(keeper.acquire(List.of("a"))).contains("a");
            keeper.hold("a", () -> {});
            for (int i = 0; i < 4; i++) {
                assertThat(leases.renewals.take()).containsExactly("a");
            }
            keeper.giveBack("a");
            assertThat(store.leases().acquire(List.of("a"), "other", LONG)).contains("a");
        }
    }

    @Test
    void whoHasLostALeaseIsTold() throws Exception {
        CountDownLatch lost = new CountDownLatch(1);
        try (LeaseKeeper keeper = new LeaseKeeper(leases.mock, "own", SHORT, true)) {
            keeper.acquire(List.of("a"));
            store.leases().release("a", "own");
            store.leases().acquire(List.of("a"), "other", LONG);
            keeper.hold("a", lost::countDown);
            assertThat(lost.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void aLeaseThatCannotBeRenewedForItsWholeTimeCountsAsLost() throws Exception {
        CountDownLatch lost = new CountDownLatch(1);
        try (LeaseKeeper keeper = new LeaseKeeper(leases.mock, "own", SHORT, true)) {
            keeper.acquire(List.of("a"));
            leases.failing = true;
            keeper.hold("a", lost::countDown);
            assertThat(lost.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void whatTheRecordDoesNotTakeNowIsGivenBackLater() throws Exception {
        try (LeaseKeeper keeper = new LeaseKeeper(leases.mock, "own", LONG, true)) {
            keeper.acquire(List.of("a"));
            leases.failing = true;
            keeper.giveBack("a");
            assertThatThrownBy(() -> keeper.acquire(List.of("b"))).isInstanceOf(StoreException.class);
            assertThat(store.leases().acquire(List.of("a"), "other", LONG)).isEmpty();
            leases.failing = false;
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            while (store.leases().acquire(List.of("a"), "other", LONG).isEmpty()) {
                assertThat(System.nanoTime()).isLessThan(deadline);
                TimeUnit.MILLISECONDS.sleep(20);
            }
        }
    }

    @Test
    void leasesAreRenewedInAThirdOfTheirTime() {
        Duration third = Duration.ofSeconds(20);
        Duration lease = third.multipliedBy(3);
        assertThat(LeaseKeeper.pause(false, Duration.ZERO, lease)).isEqualTo(third);
        assertThat(LeaseKeeper.pause(false, Duration.ofSeconds(19), lease)).isEqualTo(Duration.ofSeconds(1));
        assertThat(LeaseKeeper.pause(true, Duration.ofSeconds(1), lease)).isEqualTo(Duration.ofMillis(500));
        assertThat(LeaseKeeper.pause(true, Duration.ofMillis(19_900), lease)).isEqualTo(Duration.ofMillis(100));
        assertThat(LeaseKeeper.pause(true, Duration.ZERO, Duration.ofMillis(900)))
                .isEqualTo(Duration.ofMillis(300));
        assertThat(LeaseKeeper.pause(false, Duration.ofHours(1), lease)).isEqualTo(third);
    }

    /** What only one process can use is lost to nobody, however long the record does not answer. */
    @Test
    void withoutOtherProcessesNoLeaseIsLost() throws Exception {
        AtomicBoolean lost = new AtomicBoolean();
        try (LeaseKeeper keeper = new LeaseKeeper(leases.mock, "own", Duration.ofMillis(30), false)) {
            keeper.acquire(List.of("a"));
            keeper.hold("a", () -> lost.set(true));
            leases.failing = true;
            int failures = leases.failures.get();
            until(() -> leases.failures.get() > failures + 10);
            leases.failing = false;
            leases.renewals.clear();
            assertThat(leases.renewals.take()).containsExactly("a");
            assertThat(lost).isFalse();
        }
    }

    @Test
    void aLeaseThatIsAcquiredAgainIsNotGivenBackLate() throws Exception {
        CountDownLatch releasing = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        try (LeaseKeeper keeper = new LeaseKeeper(leases.mock, "own", SHORT, true)) {
            for (String name : List.of("a", "b")) {
                keeper.acquire(List.of(name));
                keeper.hold(name, () -> {});
            }
            leases.answersGetLost = true;
            keeper.giveBack("a");
            keeper.giveBack("b");
            leases.onRelease = () -> {
                releasing.countDown();
                try {
                    go.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            };
            leases.log.clear();
            leases.answersGetLost = false;
            assertThat(releasing.await(30, TimeUnit.SECONDS)).isTrue();
            leases.onRelease = () -> {};
            // The first is being given back by the keeper, which is to go on with the second.
            Thread acquires = new Thread(() -> keeper.acquire(List.of("b")));
            acquires.start();
            until(() -> acquires.getState() == Thread.State.WAITING || !acquires.isAlive());
            go.countDown();
            acquires.join();
            keeper.hold("b", () -> {});
            leases.renewals.clear();
            leases.renewals.take();
            assertThat(leases.renewals.take()).containsExactly("b");
            int acquired = leases.log.lastIndexOf("acquire [b]");
            assertThat(leases.log.subList(acquired, leases.log.size())).doesNotContain("release [b]");
        }
    }

    private static void until(BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.onSpinWait();
        }
    }
}
