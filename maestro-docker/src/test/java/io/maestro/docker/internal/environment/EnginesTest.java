package io.maestro.docker.internal.environment;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.DockerException;
import io.maestro.docker.DockerHost;
import io.maestro.docker.DockerUnavailableException;
import io.maestro.docker.Placement;
import io.maestro.docker.internal.DockerCli;
import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.Instance;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class EnginesTest {
    private static final Duration PAUSE = Duration.ofSeconds(30);

    private final List<Engine> engines = List.of(engine("a"), engine("b"));
    private final Map<String, Boolean> down = new ConcurrentHashMap<>();
    private final AtomicInteger asked = new AtomicInteger();
    private volatile Instant now = Instant.EPOCH;

    private static Engine engine(String name) {
        return new Engine(
                new DockerCli(DockerHost.builder().name(name).build()),
                new Instance(Instance.newId(), Instance.newId(), Path.of("/nonexistent")));
    }

    private Engines placed(Placement placement) {
        return new Engines(
                engines,
                placement,
                engine -> {
                    asked.incrementAndGet();
                    String name = name(engine);
                    if (down.containsKey(name)) {
                        throw new DockerUnavailableException(name + " is down", null);
                    }
                    return 2;
                },
                () -> now,
                PAUSE);
    }

    private static String name(Engine engine) {
        return engine.cli().host().name();
    }

    private static String name(Engines.Lease lease) {
        return name(lease.engine());
    }

    private static Optional<String> lacks(Engine engine, String... names) {
        return List.of(names).contains(name(engine)) ? Optional.of(name(engine) + " is elsewhere") : Optional.empty();
    }

    @Test
    void onlyEnginesThatHaveWhatAnAgentNeedsAreChosen() {
        for (Placement placement : List.of(Placement.leastLoaded(), Placement.roundRobin())) {
            Engines placed = placed(placement);
            for (int i = 0; i < 5; i++) {
                assertThat(name(placed.lease("claude", engine -> false, engine -> lacks(engine, "a"))))
                        .isEqualTo("b");
            }
            // Neither does what it has kept lead it there.
            assertThat(name(placed.lease("claude", engine -> name(engine).equals("a"), engine -> lacks(engine, "a"))))
                    .isEqualTo("b");
            assertThatThrownBy(() -> placed.lease("claude", engine -> false, engine -> lacks(engine, "a", "b")))
                    .isInstanceOf(DockerException.class)
                    .hasMessage("none of the engines can run claude: a is elsewhere; b is elsewhere");
            down.put("b", true);
            assertThatThrownBy(() -> placed.lease("claude", engine -> false, engine -> lacks(engine, "a")))
                    .isInstanceOf(DockerUnavailableException.class);
            down.clear();
        }
        Engines fixed =
                placed(Placement.fixed(Map.of("claude", engines.get(0).cli().host())));
        assertThatThrownBy(() -> fixed.lease("claude", engine -> false, engine -> lacks(engine, "a")))
                .hasMessageContaining("does not have what it needs of this machine");
        Engines wrong = placed((agent, candidates) -> candidates.get(0).host());
        assertThatThrownBy(() -> wrong.lease("claude", engine -> false, engine -> lacks(engine, "a")))
                .isInstanceOf(DockerException.class)
                .hasMessageContaining("chose a for claude, but a is elsewhere");
    }

    @Test
    void agentsAreCountedUntilTheyLeave() {
        Engines placed = placed(Placement.leastLoaded());
        Engines.Lease first = placed.lease("1");
        Engines.Lease second = placed.lease("2");
        Engines.Lease third = placed.lease("3");

        assertThat(List.of(name(first), name(second), name(third))).containsExactly("a", "b", "a");
        first.close();
        first.close();
        third.close();
        assertThat(name(placed.lease("4"))).isEqualTo("a");
        assertThat(name(placed.lease("5"))).isEqualTo("a");
    }

    @Test
    void anEngineThatFailedIsAskedAgainAfterThePause() {
        Engines placed = placed(Placement.leastLoaded());
        down.put("a", true);
        assertThat(name(placed.lease("1"))).isEqualTo("b");
        assertThat(asked).hasValue(2);

        down.clear();
        now = now.plus(PAUSE).minusMillis(1);
        assertThat(name(placed.lease("2"))).isEqualTo("b");
        assertThat(asked).hasValue(3);

        now = now.plusMillis(1);
        assertThat(name(placed.lease("3"))).isEqualTo("a");
    }

    @Test
    void whoeverFindsAnEngineDownSpareOthersIt() {
        Engines placed = placed(Placement.leastLoaded());
        placed.lease("1").failed();

        assertThat(name(placed.lease("2"))).isEqualTo("b");
        assertThat(name(placed.lease("3"))).isEqualTo("b");
        now = now.plus(PAUSE);
        assertThat(name(placed.lease("4"))).isEqualTo("a");
    }

    @Test
    void whoeverHasLeftSomethingOnAnEngineComesBackToIt() {
        Engines placed = placed(Placement.leastLoaded());
        for (int i = 0; i < 3; i++) {
            assertThat(name(placed.lease("1", engine -> name(engine).equals("b"), engine -> Optional.empty())))
                    .isEqualTo("b");
        }
        // These were counted.
        assertThat(name(placed.lease("2"))).isEqualTo("a");
        // One that is down is not waited for, nor one that goes down while it is asked.
        down.put("b", true);
        assertThat(name(placed.lease("1", engine -> name(engine).equals("b"), engine -> Optional.empty())))
                .isEqualTo("a");
        now = now.plus(PAUSE);
        down.clear();
        assertThat(name(placed.lease(
                        "1",
                        engine -> {
                            if (name(engine).equals("b")) {
                                throw new DockerUnavailableException("b is down", null);
                            }
                            return false;
                        },
                        engine -> Optional.empty())))
                .isEqualTo("a");
    }

    @Test
    void whenAllAreDownItMayBeTriedAgain() {
        Engines placed = placed(Placement.leastLoaded());
        down.putAll(Map.of("a", true, "b", true));
        assertThatThrownBy(() -> placed.lease("1")).isInstanceOf(DockerUnavailableException.class);

        down.clear();
        now = now.plus(PAUSE);
        assertThat(name(placed.lease("1"))).isEqualTo("a");
    }

    @Test
    void aPlacementOfTheHostsOwnIsNotTrusted() {
        assertThatThrownBy(() -> placed(
                                (agent, all) -> DockerHost.builder().name("c").build())
                        .lease("1"))
                .isInstanceOf(DockerException.class)
                .hasMessageContaining("c");
        down.put("a", true);
        assertThatThrownBy(() -> placed((agent, all) -> all.get(0).host()).lease("1"))
                .isInstanceOf(DockerUnavailableException.class);
    }

    @Test
    void manyAtOnceAreSpreadEvenly() throws Exception {
        Engines placed = placed(Placement.leastLoaded());
        ExecutorService threads = Executors.newFixedThreadPool(8);
        List<Engines.Lease> leases = new ArrayList<>();
        try {
            List<Future<Engines.Lease>> futures = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                futures.add(threads.submit(() -> {
                    placed.lease("passing").close();
                    return placed.lease("staying");
                }));
            }
            for (Future<Engines.Lease> future : futures) {
                leases.add(future.get(1, TimeUnit.MINUTES));
            }
        } finally {
            threads.shutdownNow();
        }
        Map<String, Long> counts =
                leases.stream().collect(Collectors.groupingBy(EnginesTest::name, Collectors.counting()));
        // A passing agent may stand in the way of one that stays, on at most as many places as there are threads.
        assertThat(counts.get("a") + counts.get("b")).isEqualTo(100);
        assertThat(Math.abs(counts.get("a") - counts.get("b"))).isLessThanOrEqualTo(16);
        leases.forEach(Engines.Lease::close);
        assertThat(name(placed.lease("1"))).isEqualTo("a");
        assertThat(name(placed.lease("2"))).isEqualTo("b");
    }
}
