package io.maestro.chaos;

import static io.maestro.testing.AssertThat.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.maestro.record.PostgresServer;
import io.maestro.testing.Campaign;
import io.maestro.testing.Full;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
    /** Half of them close. */
    private static final List<KilledProject.End> ENDS =
            List.of(KilledProject.End.KILL, KilledProject.End.KILL, KilledProject.End.TERM, KilledProject.End.CLOSE);

    /** One of so many hosts that share a store stays away until others have its work. */
    private static final int SOME = 4;

    private static final Pattern CLOSED = Pattern.compile("closed after (\\d+) ms and (\\d+) changes");

    /** Three stories and a specification may be in the middle of a change, and have made one that is not told yet. */
    private static final int MOST_CHANGES = 12;

    private static final Duration LONGEST_CLOSE = Duration.ofSeconds(30);

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

    /** Two projects at a time, each with a host; people decide in one of them. */
    @Test
    @Full("eight JVMs; KilledTeamTest has a death after every row, PeopleTest answers while nobody lives")
    void endsOfTheOnlyProcessChangeNothing() throws Exception {
        long seed = Campaign.seed("sqlite");
        int wanted = Campaign.number(4);
        Tally tally = new Tally("sqlite", seed);
        inLanes(2, lane -> {
            for (int round = 0; tally.ends() < wanted; round++) {
                KilledProject project = new KilledProject(
                        directory.resolve("sqlite-" + lane + "-" + round), ChaosHost.OWN_RECORD, "project");
                Random random = new Random(seed + 1000L * lane + round);
                withPeople(lane == 0, project, () -> keepEnding(project, 0, random, Duration.ZERO, tally, wanted));
                check(tally, project);
            }
        });
        tally.assertClean(wanted);
    }

    /** Two hosts with one PostgreSQL; people decide in every other project. */
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
            withPeople(
                    round % 2 == 0,
                    project,
                    () -> inLanes(2, lane -> keepEnding(project, lane, new Random(first + lane), AWAY, tally, wanted)));
            check(tally, project);
        }
        tally.assertClean(wanted);
    }

    private interface Work {
        void run() throws Exception;
    }

    /** Three people, in the process of this test, may answer all that the hosts ask; each request is answered once. */
    private static void withPeople(boolean decide, KilledProject project, Work work) throws Exception {
        if (!decide) {
            work.run();
            return;
        }
        try (People people = new People(project)) {
            work.run();
            people.close();
            assertThat(people.counted)
                    .hasSizeGreaterThan(20)
                    .allSatisfy((id, times) -> assertThat(times).hasValue(1));
        }
    }

    /**
     * Closes at each change of state while more hosts run than there are cores: each close comes back soon, and hardly anything
     * changes after it was called, but what was not told yet.
     */
    @Test
    @Full("ten JVMs; CloseTest and JGitGlobalsTest have an interrupt that is swallowed for sure")
    void closesOnABusyMachineTakeHold() throws Exception {
        int wanted = Campaign.number(4);
        Tally tally = new Tally("busy", 0);
        List<Integer> millis = Collections.synchronizedList(new ArrayList<>());
        inLanes(3 * Runtime.getRuntime().availableProcessors(), lane -> {
            for (int round = 0; tally.ends() < wanted; round++) {
                KilledProject project = new KilledProject(
                        directory.resolve("busy-" + lane + "-" + round), ChaosHost.OWN_RECORD, "project");
                KilledProject.Host host = project.hosts.get(0);
                boolean done = false;
                while (!done && tally.ends() < wanted) {
                    done = host.live(ChaosHost.CLOSE_AT_TRANSITION, "1");
                    Matcher closed = CLOSED.matcher(host.log());
                    if (closed.find()) {
                        tally.ended(true, false);
                        millis.add(Integer.parseInt(closed.group(1)));
                        assertThat(Integer.parseInt(closed.group(2)))
                                .as("changes after a close in %s", project.directory)
                                .isLessThan(MOST_CHANGES);
                    } else {
                        assertThat(done).as(host.log()).isTrue();
                    }
                }
                if (done) {
                    check(tally, project);
                }
            }
        });
        Collections.sort(millis);
        System.out.println("closes took " + millis.get(millis.size() / 2) + " ms, at most "
                + millis.get(millis.size() - 1) + " ms");
        assertThat(millis.get(millis.size() - 1)).isLessThan((int) LONGEST_CLOSE.toMillis());
        tally.assertClean(wanted);
    }

    /** Each story goes through eight changes of state at least, or four when it is done already. Every other life is closed. */
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
            tally.ended(close, false);
            close = tally.ends() % 2 == 1;
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
    private static void keepEnding(
            KilledProject project, int number, Random random, Duration away, Tally tally, int wanted) throws Exception {
        KilledProject.Host host = project.hosts.get(number);
        for (int before = 0; tally.ends() < wanted; before++) {
            KilledProject.End end = ENDS.get(random.nextInt(ENDS.size()));
            if (host.liveFor(life(random, before), end)) {
                return;
            }
            tally.ended(end != KilledProject.End.KILL, Orphans.isWaitedFor(project));
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
