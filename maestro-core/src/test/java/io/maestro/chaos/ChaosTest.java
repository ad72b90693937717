package io.maestro.chaos;

import static io.maestro.testing.AssertThat.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.maestro.audit.PostgresServer;
import io.maestro.testing.Campaign;
import io.maestro.testing.Full;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The stories, while their hosts are killed with SIGKILL or closed again and again: they end as if nothing had happened. */
@EnabledOnOs(OS.LINUX)
@Tag("campaign")
class ChaosTest {
    /** One end of so many is a close, and one of so many hosts that share a store stays away until others have its work. */
    private static final int SOME = 4;

    /** One that gets on ends 140 times or so. */
    private static final int MOST = 500;

    /** For a look at a project that is done, in which a Maestro of this process is built and closed for each host. */
    private static final Duration LOOK = Duration.ofMinutes(3);

    private static final Duration AWAY = ChaosHost.LEASE.plusSeconds(1);

    @TempDir
    static Path directory;

    private static String tree = "";
    private static int wholeMillis;

    /** What comes of it without a kill, and how long that takes on this machine. */
    @BeforeAll
    static void liveUndisturbed() throws Exception {
        KilledProject undisturbed =
                new KilledProject(directory.resolve("undisturbed"), ChaosHost.OWN_RECORD, "project");
        long start = System.nanoTime();
        assertThat(undisturbed.hosts.get(0).live()).isTrue();
        wholeMillis = (int) Duration.ofNanos(System.nanoTime() - start).toMillis();
        tree = undisturbed.repository.git("rev-parse", "main^{tree}");
        Tally none = new Tally("undisturbed", 0);
        System.out.println("undisturbed: " + wholeMillis + " ms");
        check(none, undisturbed);
        none.assertClean(0);
    }

    /** Two at a time, each with a host. */
    @Test
    @Full("eight JVMs; KilledTeamTest has a death after every row, KilledStoryTest one at each change of state")
    void endsOfTheOnlyProcessChangeNothing() throws Exception {
        long seed = Campaign.seed("sqlite");
        int wanted = Campaign.number(4);
        Tally tally = new Tally("sqlite", seed);
        inLanes(2, lane -> {
            for (int round = 0; tally.ends() < wanted; round++) {
                KilledProject project = new KilledProject(
                        directory.resolve("sqlite-" + lane + "-" + round), ChaosHost.OWN_RECORD, "project");
                keepEnding(project.hosts.get(0), new Random(seed + 1000L * lane + round), Duration.ZERO, tally, wanted);
                check(tally, project);
            }
        });
        tally.assertClean(wanted);
    }

    /** Two hosts with one PostgreSQL. */
    @Test
    @Full("twelve JVMs; TakenOverStoryTest has two that share a store")
    void endsOfTwoProcessesThatShareAStoreChangeNothing() throws Exception {
        long seed = Campaign.seed("postgres");
        int wanted = Campaign.number(4);
        Tally tally = new Tally("postgres", seed);
        for (int round = 0; tally.ends() < wanted; round++) {
            KilledProject project = new KilledProject(
                    directory.resolve("postgres-" + round), PostgresServer.newDatabaseUrl(), "one", "two");
            long first = seed + 1000L * round;
            inLanes(2, lane -> keepEnding(project.hosts.get(lane), new Random(first + lane), AWAY, tally, wanted));
            check(tally, project);
        }
        tally.assertClean(wanted);
    }

    /** Three people, in the process of this test, answer all that the killed hosts ask; each request is answered once. */
    @Test
    @Full("six JVMs; PeopleTest has answers while nobody lives, RequestsContract fifty at once")
    void peopleAnswerFromAnotherProcess() throws Exception {
        long seed = Campaign.seed("people");
        int wanted = Campaign.number(4);
        Tally tally = new Tally("people", seed);
        for (int round = 0; tally.ends() < wanted; round++) {
            KilledProject project =
                    new KilledProject(directory.resolve("people-" + round), ChaosHost.OWN_RECORD, "project");
            try (People people = new People(project)) {
                keepEnding(project.hosts.get(0), new Random(seed + round), Duration.ZERO, tally, wanted);
                people.close();
                assertThat(people.counted)
                        .hasSizeGreaterThan(20)
                        .allSatisfy((id, times) -> assertThat(times).hasValue(1));
            }
            check(tally, project);
        }
        tally.assertClean(wanted);
    }

    /** Each story goes through eight changes of state at least, or four when it is done already. Every third life is closed. */
    @Test
    @Full("a JVM for each end; KilledStoryTest has a kill at each change of state in one JVM")
    void killsAndClosesAtTransitionsChangeNothing() throws Exception {
        // In the full tier at each eighteenth one; with a number at each.
        boolean each = Campaign.number(0) > 0;
        KilledProject project = new KilledProject(directory.resolve("killed"), ChaosHost.OWN_RECORD, "project");
        Tally tally = new Tally("transitions", 0);
        boolean close = false;
        while (!project.hosts
                .get(0)
                .live(close ? ChaosHost.CLOSE_AT_TRANSITION : ChaosHost.DIE_AT_TRANSITION, each ? "1" : "18")) {
            tally.ended(close);
            close = tally.ends() % 3 == 1;
            assertThat(tally.ends()).as("ends of %s", project.directory).isLessThan(MOST);
        }
        check(tally, project);
        tally.assertClean(each ? 40 : 3);
    }

    /**
     * Ends a host at random moments until there is nothing left to do, or it was done often enough.
     *
     * @param away for how long it stays away now and then
     */
    private static void keepEnding(KilledProject.Host host, Random random, Duration away, Tally tally, int wanted)
            throws Exception {
        for (int before = 0; tally.ends() < wanted; before++) {
            boolean close = random.nextInt(SOME) == 0;
            if (host.liveFor(life(random, before), close)) {
                return;
            }
            tally.ended(close);
            if (random.nextInt(SOME) == 0) {
                Thread.sleep(away.toMillis());
            }
        }
        assertThat(host.live()).isTrue();
    }

    /** One that hangs fails, with the stack of its thread: a host has a limit, but this is done in the process of the test. */
    private static void check(Tally tally, KilledProject project) {
        assertTimeoutPreemptively(LOOK, () -> tally.check(project, tree), () -> "looking at " + project.directory);
    }

    /**
     * Up to the time that this machine needs for all, so that the host is ended in the middle of everything; longer where it
     * is ended too often to get on, because the machine has become slower.
     */
    private static Duration life(Random random, int before) {
        int longest = wholeMillis + before * (wholeMillis / 10);
        return Duration.ofMillis(wholeMillis / 20 + random.nextInt(longest));
    }

    private interface Lane {
        void run(int lane) throws Exception;
    }

    private static void inLanes(int lanes, Lane lane) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(lanes);
        try {
            List<Callable<Boolean>> all = new ArrayList<>();
            for (int number = 0; number < lanes; number++) {
                int own = number;
                all.add(() -> {
                    lane.run(own);
                    return true;
                });
            }
            for (Future<Boolean> done : threads.invokeAll(all)) {
                done.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
