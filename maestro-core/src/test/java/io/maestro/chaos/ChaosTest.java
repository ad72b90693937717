package io.maestro.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.maestro.testing.Campaign;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
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

/** The six stories, while their host is killed with SIGKILL again and again: they end as if nothing had happened. */
@EnabledOnOs(OS.LINUX)
class ChaosTest {
    private static final List<String> ONCE = List.of("six-01", "six-02", "six-03", "six-04", "six-06");

    @TempDir
    static Path directory;

    private static String tree = "";
    private static int wholeMillis;

    /** What comes of it without a kill, and how long that takes on this machine. */
    @BeforeAll
    static void liveUndisturbed() throws Exception {
        KilledProject undisturbed = new KilledProject(directory.resolve("undisturbed"));
        long start = System.nanoTime();
        assertThat(undisturbed.live()).isTrue();
        wholeMillis = (int) Duration.ofNanos(System.nanoTime() - start).toMillis();
        tree = undisturbed.tree();
    }

    @Test
    @Tag("campaign")
    void randomKillsChangeNothing() throws Exception {
        long seed = Campaign.seed("random kills");
        int wanted = Campaign.number(10, 100);
        Sum sum = new Sum();
        inTwoLanes(lane -> {
            Random random = new Random(seed + lane);
            int kills = 0;
            for (int round = 0; kills < wanted / 2; round++) {
                KilledProject project = new KilledProject(directory.resolve("random-" + lane + "-" + round));
                int before = kills;
                while (!project.liveFor(life(random, kills - before))) {
                    kills++;
                }
                sum.check(project);
            }
            sum.add(kills);
        });
        sum.assertClean(wanted / 2 * 2);
    }

    /** Each story goes through eight changes of state at least, or four when it is done already. Every third life is closed. */
    @Test
    @Tag("campaign")
    void killsAndClosesAtTransitionsChangeNothing() throws Exception {
        int wanted = Campaign.number(6, 40);
        int step = wanted < 40 ? 6 : 1;
        KilledProject project = new KilledProject(directory.resolve("killed"));
        int kills = 0;
        while (!project.live(
                kills % 3 == 1 ? ChaosHost.CLOSE_AT_TRANSITION : ChaosHost.DIE_AT_TRANSITION, Integer.toString(step))) {
            kills++;
        }
        Sum sum = new Sum();
        sum.add(kills);
        sum.check(project);
        sum.assertClean(Math.min(wanted, 40));
    }

    /**
     * Up to the time that this machine needs for all, so that the host is killed in the middle of everything; longer where it
     * is killed too often to get on, because the machine has become slower.
     */
    private static Duration life(Random random, int killedBefore) {
        int longest = wholeMillis + killedBefore * (wholeMillis / 10);
        return Duration.ofMillis(wholeMillis / 20 + random.nextInt(longest));
    }

    private interface Lane {
        void run(int lane) throws Exception;
    }

    private static void inTwoLanes(Lane lane) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            List<Callable<Boolean>> both = new ArrayList<>();
            for (int number = 0; number < 2; number++) {
                int own = number;
                both.add(() -> {
                    lane.run(own);
                    return true;
                });
            }
            for (Future<Boolean> done : threads.invokeAll(both)) {
                done.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** What was counted in all projects. */
    private static final class Sum {
        private int kills;
        private int lost;
        private int twice;
        private final List<String> orphans = new ArrayList<>();
        private final List<String> differences = new ArrayList<>();

        synchronized void add(int more) {
            kills += more;
        }

        synchronized void check(KilledProject project) throws Exception {
            List<String> merged = project.mergedStories();
            Set<String> stories = new HashSet<>(merged);
            twice += merged.size() - stories.size();
            lost += (int)
                    ONCE.stream().filter(story -> !stories.contains(story)).count();
            orphans.addAll(project.orphans());
            if (!project.tree().equals(tree) || !stories.equals(Set.copyOf(ONCE))) {
                differences.add(project.directory + ": merged " + merged + ", files "
                        + project.repository.git("ls-tree", "-r", "--name-only", "main"));
            }
        }

        synchronized void assertClean(int atLeast) {
            System.out.println(
                    "kills: " + kills + ", lost: " + lost + ", double: " + twice + ", orphans: " + orphans.size());
            assertThat(differences).isEmpty();
            assertThat(orphans).isEmpty();
            assertThat(lost).isZero();
            assertThat(twice).isZero();
            assertThat(kills).isGreaterThanOrEqualTo(atLeast);
        }
    }
}
