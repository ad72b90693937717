package io.maestro.chaos;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.record.PostgresServer;
import io.maestro.record.internal.Store;
import io.maestro.story.CoderState;
import io.maestro.testing.Campaign;
import io.maestro.testing.Full;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Hosts that end, or lose their database, while four stories or more wait to be merged: nothing is lost, and the order stays. */
@EnabledOnOs(OS.LINUX)
@Tag("campaign")
class QueuedEndsTest {
    private static final int LONGEST_DELAY = 1500;

    @TempDir
    static Path directory;

    @Test
    @Full("six JVMs; MergeTurnsTest has the turn of a process that has died")
    void endsOfTheOnlyProcessKeepTheOrder() throws Exception {
        campaign("queue-sqlite", ChaosHost.OWN_RECORD, List.of("KILL", "CLOSE"), "project");
    }

    @Test
    @Full("eight JVMs; MergeTurnsTest has the turn of a process that has died")
    void endsOfTwoProcessesThatShareAStoreKeepTheOrder() throws Exception {
        campaign("queue-postgres", null, List.of("KILL", "CLOSE", "DISCONNECT,KILL", "DISCONNECT,CLOSE"), "one", "two");
    }

    private static void campaign(String name, String database, List<String> ends, String... hosts) throws Exception {
        long seed = Campaign.seed(name);
        int wanted = Campaign.number(4);
        Tally tally = new Tally(name, seed);
        for (int round = 0; tally.ends() < wanted; round++) {
            KilledProject project = new KilledProject(
                    Scenario.QUEUED,
                    directory.resolve(name + "-" + round),
                    database == null ? PostgresServer.newDatabaseUrl() : database,
                    hosts);
            List<List<String>> orders = Collections.synchronizedList(new ArrayList<>());
            long first = seed + 1000L * round;
            ExecutorService threads = Executors.newFixedThreadPool(hosts.length);
            try {
                List<Future<?>> lives = new ArrayList<>();
                for (KilledProject.Host host : project.hosts) {
                    Random random = new Random(first + lives.size());
                    lives.add(threads.submit(() -> {
                        keepEnding(project, host, random, ends, tally, wanted, orders);
                        return null;
                    }));
                }
                for (Future<?> life : lives) {
                    life.get();
                }
            } finally {
                threads.shutdownNow();
            }
            assertThatTheOrderIsKept(project, orders);
            tally.check(project, project.repository.git("rev-parse", "main^{tree}"));
        }
        tally.assertClean(wanted);
    }

    private static void keepEnding(
            KilledProject project,
            KilledProject.Host host,
            Random random,
            List<String> ends,
            Tally tally,
            int wanted,
            List<List<String>> orders)
            throws Exception {
        while (tally.ends() < wanted) {
            String end = ends.get(random.nextInt(ends.size()));
            String delay = String.valueOf(random.nextInt(LONGEST_DELAY));
            boolean done = host.live(ChaosHost.END_IN_QUEUE, end, delay);
            if (host.log().contains(ChaosHost.QueueEnd.DISCONNECT.name())) {
                tally.ended(false, false);
            }
            if (done) {
                return;
            }
            tally.ended(!end.endsWith("KILL"), false);
            try (Store record = Orphans.open(project)) {
                Set<String> merging = record.stories().stream()
                        .filter(story ->
                                story.state() == CoderState.PREPARE_MERGE || story.state() == CoderState.AWAIT_MERGE)
                        .map(story -> story.id() + " " + story.attempt())
                        .collect(Collectors.toSet());
                orders.add(record.mergeQueue().stream()
                        .map(queued -> queued.storyId() + " " + queued.attempt())
                        .filter(merging::contains)
                        .toList());
            }
        }
        assertThat(host.live()).isTrue();
    }

    /** A story that waited before another one is merged before it, unless another process has begun it anew. */
    private static void assertThatTheOrderIsKept(KilledProject project, List<List<String>> orders) {
        List<String> merged = project.repository
                .git(
                        "log",
                        "--first-parent",
                        "--merges",
                        "--reverse",
                        "--format=%(trailers:key=Maestro-Story,valueonly,separator=) "
                                + "%(trailers:key=Maestro-Attempt,valueonly,separator=)",
                        "main")
                .lines()
                .toList();
        for (List<String> order : orders) {
            assertThat(merged.stream().filter(order::contains).toList())
                    .as("merged in %s: %s; waited: %s", project.directory, merged, order)
                    .isEqualTo(order.stream().filter(merged::contains).toList());
        }
    }
}
