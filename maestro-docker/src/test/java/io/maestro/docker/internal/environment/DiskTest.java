package io.maestro.docker.internal.environment;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.ContainerRules;
import io.maestro.docker.DockerEnvironments;
import io.maestro.docker.DockerException;
import io.maestro.docker.internal.EngineFacts;
import io.maestro.docker.internal.TestEngine;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.Shows;
import io.maestro.docker.testing.TestImages;
import io.maestro.environment.Phase;
import io.maestro.error.RetriableException;
import io.maestro.exec.ExecException;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.files.internal.SafeDirectory;
import io.maestro.testing.Full;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolArguments;
import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mockito.Mockito;

/** Agents fill disks. */
@RequiresEngine
class DiskTest {
    private static final int QUOTA = 24;

    @TempDir
    static Path directory;

    private static TestImages images;
    private static Bench bench;

    @BeforeAll
    static void open() {
        images = TestImages.ofDocker();
        bench = new Bench(
                directory,
                images,
                images.build("disk", "FROM " + images.base() + "\nRUN mkdir -m 1777 /full\n", Map.of()));
    }

    @AfterAll
    static void close() {
        bench.close();
    }

    private static StoryEnvironment environment(String story) {
        StoryEnvironment environment =
                Bench.environment(bench.open(Map.of("network", "none", "disk_mb", QUOTA)), bench.place(story));
        environment.enter(Phase.CODING);
        return environment;
    }

    /** Writes four times the quota, and goes on for longer than anybody waits. */
    private static ExecResult fill(StoryEnvironment environment, String file) {
        ExecResult result = environment
                .executor()
                .run(ExecRequest.shell("dd if=/dev/zero of=" + file + " bs=1M count=" + 4 * QUOTA
                                + " 2>/dev/null && chmod 000 $(dirname " + file + ") 2>/dev/null; sleep 300")
                        .timeLimit(Duration.ofMinutes(2))
                        .build());
        assertThat(result.ending()).isEqualTo(ExecResult.Ending.CANCELLED);
        return result;
    }

    @Test
    @Full("waits")
    void whatIsWrittenBesideTheWorkspaceIsGoneWithTheContainer() {
        try (StoryEnvironment environment = environment("1")) {
            String before = environment.now().orElseThrow().container().id();
            assertThat(fill(environment, "/full/a").stderr().text())
                    .contains(
                            "elsewhere in containers",
                            QUOTA + " MB are allowed",
                            "container.disk_mb",
                            "a new container");
            assertThat(environment.now().orElseThrow().container().id()).isNotEqualTo(before);
            assertThat(Bench.sh(environment, "ls /full; echo well")).isEqualTo("well");
        }
    }

    /** By a directory that only its owner could read, and does not. */
    @Test
    @Shows(file = "disk_mb", code = "container.diskMegabytes")
    void whoHasBeenToldAndGoesOnIsAtTheEnd() throws IOException {
        DockerProject project = bench.open(
                Map.of("network", "none"),
                DockerEnvironments.builder().container(all -> all.diskMegabytes(QUOTA)),
                Map.of());
        try (StoryEnvironment environment = Bench.environment(project, bench.place("2"))) {
            environment.enter(Phase.CODING);
            Bench.sh(environment, "mkdir hidden more none");
            assertThat(fill(environment, "/workspace/hidden/a").stderr().text()).contains(" MB in the workspace");
            // It may still delete something.
            assertThat(Bench.sh(environment, "rmdir none; chmod 700 hidden; echo well"))
                    .endsWith("well");
            assertThat(fill(environment, "/workspace/more/b").stderr().text()).contains("nothing runs here any more");
            assertThatThrownBy(() -> Bench.sh(environment, "true"))
                    .isInstanceOf(ExecException.class)
                    .hasMessageContaining("it has been told, and has grown since then");
            assertThatThrownBy(() -> environment.enter(Phase.PLANNING)).isInstanceOf(DockerException.class);
        } finally {
            for (String name : List.of("hidden", "more")) {
                Path hidden = bench.workspace.resolve(name);
                Files.setPosixFilePermissions(hidden, PosixFilePermissions.fromString("rwx------"));
                SafeDirectory.deleteTree(hidden);
            }
        }
    }

    /** Though no command of the agent's own runs. */
    @Test
    @Full("whatIsWrittenBesideTheWorkspaceIsGoneWithTheContainer fills a disk, too")
    void whatItsOtherContainersWriteCounts() throws Exception {
        DockerProject project = bench.open(
                Map.of("network", "none"),
                DockerEnvironments.builder()
                        .container(all -> all.diskMegabytes(QUOTA))
                        .containers(
                                ContainerRules.builder().image(images.busybox()).build()),
                Map.of());
        ToolFactory factory = project.tools().stream()
                .filter(tool -> tool.definition().name().equals("containers"))
                .findFirst()
                .orElseThrow();
        try (StoryEnvironment environment = Bench.environment(project, bench.place("8"))) {
            environment.enter(Phase.CODING);
            ToolContext context = Mockito.mock(ToolContext.class);
            Mockito.when(context.agentId()).thenReturn(environment.place().agentId());
            Mockito.when(context.service(AgentEnvironments.class))
                    .thenReturn(project.services().values().stream()
                            .filter(AgentEnvironments.class::isInstance)
                            .map(AgentEnvironments.class::cast)
                            .findFirst());
            Tool tool = factory.create(context);
            try {
                tool.execute(call(Map.of("operation", "create", "name", "big")));
                ToolResult filled = tool.execute(call(Map.of(
                        "operation",
                        "exec",
                        "container",
                        "big",
                        "command",
                        "dd if=/dev/zero of=/tmp/a bs=1M count=" + 4 * QUOTA + "; sleep 300",
                        "timeout",
                        120)));
                assertThat(filled.isError()).as("%s", filled).isTrue();
                // Ended first, and then removed.
                TestEngine.await(() -> !list(tool).contains("big"));
            } finally {
                tool.close();
            }
            assertThat(environment
                            .executor()
                            .run(ExecRequest.shell("true").build())
                            .stderr()
                            .text())
                    .contains("elsewhere in containers", QUOTA + " MB are allowed");
        }
    }

    private static String list(Tool tool) {
        try {
            return tool.execute(call(Map.of("operation", "list"))).text();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static ToolCall call(Map<String, Object> arguments) {
        return new ToolCall("1", "containers", ToolArguments.of(arguments), Duration.ofMinutes(3));
    }

    /** A cache is nobody's own, and is held by whoever has it mounted. */
    @Test
    @Full("whatIsWrittenBesideTheWorkspaceIsGoneWithTheContainer fills a disk, too")
    void whatIsWrittenToVolumesCounts() {
        DockerProject project =
                bench.open(Map.of("network", "none", "disk_mb", QUOTA, "caches", Map.of("things", "/full")));
        try (StoryEnvironment environment = Bench.environment(project, bench.place("5"))) {
            environment.enter(Phase.CODING);
            assertThat(fill(environment, "/full/a").stderr().text()).contains(" MB in volumes");
            assertThat(Bench.sh(environment, "chmod 700 /full; rm /full/a; echo well"))
                    .endsWith("well");
        }
    }

    /** Below directories whose path is longer than any program takes. */
    @Test
    @Full("whoHasBeenToldAndGoesOnIsAtTheEnd hides files, too")
    void whatHasTooLongAPathToBeCountedIsTooMuch() throws IOException {
        try (StoryEnvironment environment = environment("6")) {
            ExecResult result = environment
                    .executor()
                    .run(ExecRequest.shell("d=$(printf %0200d 1); mkdir deep; cd deep; i=0; while test $i -lt 30;"
                                    + " do mkdir $d; cd $d; i=$((i+1)); done; dd if=/dev/zero of=a bs=1M count="
                                    + 4 * QUOTA + " 2>/dev/null; sleep 300")
                            .timeLimit(Duration.ofMinutes(2))
                            .build());
            assertThat(result.ending()).isEqualTo(ExecResult.Ending.CANCELLED);
            assertThat(result.stderr().text()).contains("more files than can be counted");
        } finally {
            SafeDirectory.deleteTree(bench.workspace.resolve("deep"));
        }
    }

    private static void build(DockerProject project, String line) {
        bench.write("Dockerfile", "FROM " + images.busybox() + "\nRUN echo " + UUID.randomUUID() + "; " + line + "\n");
        try (StoryEnvironment environment = Bench.environment(project, bench.place("3"))) {
            environment
                    .images()
                    .builds()
                    .build(
                            environment.engine(),
                            environment.place(),
                            new BuildPlan("Dockerfile", ".", Map.of()),
                            environment.images().scoped(environment.place(), "full"),
                            environment.images().builds().limit());
        }
    }

    @Test
    @Full("whoHasBeenToldAndGoesOnIsAtTheEnd has the limit")
    void aBuildThatWritesMoreIsEnded() {
        DockerProject project = bench.open(Map.of("disk_mb", 4 * QUOTA, "build_limits", "optional"));
        assertThatThrownBy(() -> build(project, "dd if=/dev/zero of=/full bs=1M count=" + 16 * QUOTA + "; sleep 300"))
                .isInstanceOf(DockerException.class)
                .hasMessageContaining("it has written more than " + 4 * QUOTA + " MB");
    }

    /** More than any disk has. */
    @Test
    @Full("DiskRuleTest has the rule, whoHasBeenToldAndGoesOnIsAtTheEnd its effect")
    @Shows(file = "disk_reserve_mb", code = "container.diskReserveMegabytes")
    void nobodyGrowsWhereTheDiskIsShort() {
        DockerProject project = bench.open(
                Map.of("network", "none"),
                DockerEnvironments.builder()
                        .container(all -> all.diskMegabytes(64).diskReserveMegabytes(1 << 30)),
                Map.of());
        assertThatThrownBy(() -> build(project, "true"))
                .isInstanceOf(DockerException.class)
                .hasMessageContaining("container.disk_reserve_mb");
        DockerProject other = bench.open(Map.of("network", "none", "disk_mb", 64, "disk_reserve_mb", 1 << 30));
        try (StoryEnvironment environment = Bench.environment(other, bench.place("4"))) {
            assertThatThrownBy(() -> environment.enter(Phase.CODING))
                    .isInstanceOf(RetriableException.class)
                    .hasMessageContaining("the attempt does not begin")
                    .hasMessageContaining("container.disk_reserve_mb");
        }
    }

    /** A disk as it is, with a reserve that begins where the second file does. */
    @Test
    @Full("DiskWatchTest and DiskRuleTest have the rules")
    void whoGrowsWhereTheDiskHasBecomeShortGetsANewContainer() throws IOException {
        Path storage = EngineFacts.ask(bench.cli()).storage().orElse(directory);
        long free = Math.min(
                Files.getFileStore(directory).getUsableSpace(),
                Files.getFileStore(storage).getUsableSpace());
        // What others write meanwhile makes it short earlier.
        DockerProject project = bench.open(
                Map.of("network", "none", "disk_mb", 1024, "disk_reserve_mb", (int) (free - (192L << 20) >> 20)));
        try (StoryEnvironment environment = Bench.environment(project, bench.place("4"))) {
            environment.enter(Phase.CODING);
            String before = environment.now().orElseThrow().container().id();
            ExecResult result = environment
                    .executor()
                    .run(ExecRequest.shell(
                                    "for i in 1 2 3 4 5 6 7 8 9; do"
                                            + " dd if=/dev/zero of=/full/$i bs=1M count=160 2>/dev/null; sleep 4; done; sleep 300")
                            .timeLimit(Duration.ofMinutes(2))
                            .build());
            assertThat(result.ending()).isEqualTo(ExecResult.Ending.CANCELLED);
            assertThat(result.stderr().text()).contains("of the disk are free", "container.disk_reserve_mb");
            assertThat(environment.now().orElseThrow().container().id()).isNotEqualTo(before);
            assertThat(Bench.sh(environment, "echo well")).endsWith("well");
        }
    }
}
