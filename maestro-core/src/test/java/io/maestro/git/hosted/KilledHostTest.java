package io.maestro.git.hosted;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.TestRepository;
import io.maestro.git.hosted.ScriptedFaults.Kind;
import io.maestro.git.hosted.ScriptedPull.Person;
import io.maestro.git.hosted.ScriptedPull.Talk;
import io.maestro.git.hosted.internal.Check;
import io.maestro.testing.Campaign;
import io.maestro.testing.ChildJvm;
import io.maestro.testing.Full;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Stories whose host is killed with SIGKILL at random moments while its forge fails at random: the first commit has a red check,
 * the second one a thread, and whatever comes after is green. Each story has one request and one merge, and each word is
 * answered once.
 */
@EnabledOnOs(OS.LINUX)
@Tag("campaign")
class KilledHostTest {
    private static final List<Kind> KINDS = List.of(
            Kind.DROPPED_AFTER,
            Kind.DROPPED_BEFORE,
            Kind.BAD_GATEWAY_AFTER,
            Kind.UNAVAILABLE_BEFORE,
            Kind.TRUNCATED_AFTER,
            Kind.HALF_JSON_AFTER);

    private static final List<String> OPERATIONS = List.of(
            "list", "create", "read", "update", "merge", "reviews", "reply", "resolve", "threads", "tip", "checks",
            "status", "labels", "*");

    private static final int MOST_MILLIS = 4_000;
    private static final int LIFE_LIMIT_SECONDS = 180;

    @TempDir
    Path directory;

    private Random random = new Random();
    private int kills;
    private int faults;

    @ParameterizedTest
    @ValueSource(strings = {"github", "gitlab", "gitea"})
    @Full("a JVM for each life; FaultsContract has the same in one JVM")
    void oneRequestAndOneMergeWhateverIsKilled(String product) throws Exception {
        int wanted = Campaign.number(2);
        long seed = Campaign.seed("killed hosts of " + product);
        random = new Random(seed);
        int stories = 0;
        int quick = 0;
        while (kills < wanted) {
            quick += live(product, Files.createDirectory(directory.resolve("story-" + stories)), wanted) ? 1 : 0;
            stories++;
        }
        System.out.printf(
                "%s: stories %d, kills %d, faults %d, green in at most two rounds %d, seed %d%n",
                product, stories, kills, faults, quick, seed);
    }

    private static ScriptedServer server(String product, TestRepository repository) {
        return switch (product) {
            case "github" -> new ScriptedGitHub(repository);
            case "gitlab" -> new ScriptedGitLab(repository);
            default -> new ScriptedGitea(repository);
        };
    }

    /** Whether the red check was green after two more commits at most. */
    private boolean live(String product, Path place, int wanted) throws Exception {
        TestRepository repository = TestRepository.create(place, Map.of("README.md", "r"));
        List<Talk> threads = new ArrayList<>();
        List<String> heads = new ArrayList<>();
        try (ScriptedServer server = server(product, repository)) {
            server.beforeChecks(head -> {
                if (!heads.contains(head)) {
                    heads.add(head);
                    judge(server, head, heads.size(), threads);
                }
            });
            Path log = place.resolve("host.log");
            while (!life(product, place, server, log, kills < wanted)) {
                kills++;
                if (kills >= wanted) {
                    server.faults.clear();
                }
            }
            assertThat(Files.readString(log)).contains("outcome MERGED");
            assertThat(server.unknown).isEmpty();
            assertThat(server.pulls()).hasSize(1);
            assertThat(server.count("create 201")).isEqualTo(1);
            assertThat(server.pull(1).merged).isTrue();
            assertThat(server.pull(1).labels).containsExactly("bot");
            assertThat(repository.git("rev-list", "--count", "--first-parent", "main"))
                    .isEqualTo("2");
            for (Talk thread : threads) {
                assertThat(thread.comments).as("%s", server.log).hasSize(2);
                assertThat(thread.resolved).isTrue();
            }
            return heads.size() <= 3;
        }
    }

    private static void judge(ScriptedServer server, String head, int number, List<Talk> threads) {
        if (number == 1) {
            server.check(head, "build", Check.CheckState.RED, "");
        } else if (number == 2) {
            server.check(head, "build", Check.CheckState.RUNNING, "");
            threads.add(server.thread(1, "ann", Person.MEMBER, "Why not better?"));
        } else {
            server.check(head, "build", Check.CheckState.GREEN, "");
        }
    }

    /** One life of the host, with faults on its way; whether it has come to its end. */
    private boolean life(String product, Path place, ScriptedServer server, Path log, boolean killed)
            throws IOException, InterruptedException {
        Process host = ChildJvm.of(
                        place.resolve("tmp"),
                        KilledHost.class,
                        place.toString(),
                        product,
                        server.url().toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            if (!killed) {
                assertThat(host.waitFor(LIFE_LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
            } else {
                for (int i = random.nextInt(4); i > 0; i--) {
                    server.faults.add(
                            OPERATIONS.get(random.nextInt(OPERATIONS.size())),
                            KINDS.get(random.nextInt(KINDS.size())),
                            1 + random.nextInt(3));
                    faults++;
                }
                boolean unused = host.waitFor(random.nextInt(MOST_MILLIS), TimeUnit.MILLISECONDS);
            }
        } finally {
            host.destroyForcibly().waitFor();
        }
        if (host.exitValue() == 0) {
            return true;
        }
        assertThat(host.exitValue()).as("%s", Files.readString(log)).isEqualTo(128 + 9);
        return false;
    }
}
