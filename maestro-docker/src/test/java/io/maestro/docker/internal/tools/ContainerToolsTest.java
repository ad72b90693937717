package io.maestro.docker.internal.tools;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.docker.internal.environment.Bench;
import io.maestro.docker.internal.environment.DockerProject;
import io.maestro.docker.internal.environment.StoryEnvironment;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestImages;
import io.maestro.environment.ImageCheck;
import io.maestro.environment.Phase;
import io.maestro.testing.Full;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@RequiresEngine
class ContainerToolsTest {
    private static TestImages images;
    private static String base;

    @TempDir
    Path directory;

    private Bench bench;
    private DockerProject project;
    private StoryEnvironment environment;
    private ToolCaller coding;

    @BeforeAll
    static void buildImages() {
        images = TestImages.ofDocker();
        base = images.base();
    }

    @BeforeEach
    void open() {
        bench = new Bench(directory, images, base);
        project = bench.open(Map.of());
        environment = Bench.environment(project, bench.place("7"));
        coding = new ToolCaller(project, false);
    }

    @AfterEach
    void close() {
        environment.close();
        assertThat(bench.containers(project)).isEmpty();
        bench.close();
    }

    private String dockerfile(String lines) {
        bench.write("Dockerfile", "FROM " + images.busybox() + "\n" + lines);
        return "Dockerfile";
    }

    @Test
    void whoIsOfferedWhat() {
        List<ToolDefinition> definitions =
                project.tools().stream().map(ToolFactory::definition).toList();
        assertThat(definitions.stream()
                        .filter(tool -> tool.name().startsWith("container_")
                                && tool.audiences().contains(ToolAudience.CODER_PLANNING))
                        .map(ToolDefinition::name))
                .containsExactlyInAnyOrder("container_test", "container_list");
        assertThat(definitions.stream()
                        .filter(tool -> tool.audiences().contains(ToolAudience.CODER_CODING))
                        .map(ToolDefinition::name))
                .contains(
                        "container_build", "container_test", "container_list", "container_switch", "container_update");
    }

    @Test
    void anImageIsBuiltTestedSwitchedToAndPinned() {
        environment.enter(Phase.CODING);
        dockerfile("ARG WHO=nobody\nCOPY made.txt /made.txt\nRUN echo $WHO > /who\n");
        bench.write("made.txt", "from the workspace");
        ToolResult built = coding.call(
                "container_build",
                Map.of("tag", "dev:1", "build_args", List.of(Map.of("name", "WHO", "value", "somebody"))));
        assertThat(built.isError()).as("%s", built).isFalse();
        String id = String.valueOf(built.data().get("image"));
        assertThat(id).matches("sha256:[0-9a-f]{64}");

        ToolResult tested = coding.call(
                "container_test", Map.of("image", "dev:1", "command", "cat /made.txt /who; echo w > w.txt; exit 3"));
        assertThat(tested.text()).contains("exit code 3", "from the workspacesomebody");
        assertThat(tested.exitCode()).hasValue(3);
        assertThat(bench.workspace.resolve("w.txt")).hasContent("w");
        assertThat(bench.containers(project)).hasSize(1);
        assertThat(coding.call("container_test", Map.of("image", "dev:1")).text())
                .contains("boots and can be worked in");

        ToolResult switched = coding.call("container_switch", Map.of("image", "dev:1"));
        assertThat(switched.isError()).as("%s", switched).isFalse();
        assertThat(switched.data()).containsEntry("success", true).containsEntry("image", id);
        assertThat(Bench.sh(environment, "cat /who")).isEqualTo("somebody");

        ToolResult listed = coding.call("container_list", Map.of());
        assertThat(listed.text())
                .contains(
                        "your commands run in "
                                + environment.now().orElseThrow().container().name(),
                        id + "  from Dockerfile  by story 7");

        assertThat(coding.call("container_update", Map.of("image", "dev:1")).text())
                .contains("was built with build_args [WHO], whose values no review sees");
        String reviewed = String.valueOf(
                coding.call("container_build", Map.of("tag", "dev:2")).data().get("image"));
        ToolResult updated = coding.call("container_update", Map.of("image", "dev:2"));
        assertThat(updated.data())
                .containsEntry("success", true)
                .containsEntry("rolled_back", false)
                .containsEntry("image", reviewed);
    }

    @Test
    @Full("aFailedBuildSaysWhatItPrintedAndLeavesNothing has the report")
    void aBuildThatFailsSaysWhyAndIsNoSuccess() {
        dockerfile("RUN echo what it printed; exit 9\n");
        ToolResult built = coding.call("container_build", Map.of());
        assertThat(built.isError()).isTrue();
        assertThat(built.text()).contains("what it printed");
        assertThat(built.data()).doesNotContainKey("image");
    }

    @Test
    void anUpdateThatFailsIsRolledBackAndSaysSo() {
        environment.enter(Phase.CODING);
        // Not the safe image, so that falling back to that one would be seen.
        assertThat(environment.switchTo(images.good("switch")).done()).isTrue();
        bench.write("Dockerfile", "FROM " + images.busybox() + " AS b\nFROM scratch\nCOPY --from=b /bin/busybox /x\n");
        assertThat(coding.call("container_build", Map.of("tag", "noshell")).isError())
                .isFalse();
        String before = environment.now().orElseThrow().container().id();
        ToolResult updated = coding.call("container_update", Map.of("image", "noshell"));
        assertThat(updated.isError()).isTrue();
        assertThat(updated.data()).containsEntry("rolled_back", true).doesNotContainKey("image");
        assertThat(updated.text()).contains("has no POSIX shell", "as before, your commands run in");
        assertThat(environment.now().orElseThrow().container().id()).isEqualTo(before);
        assertThat(Bench.sh(environment, "echo $IMAGE_NAME")).isEqualTo("switch");

        ToolResult switched = coding.call("container_switch", Map.of("image", "noshell"));
        assertThat(switched.isError()).isTrue();
        assertThat(switched.data())
                .containsEntry("success", false)
                .containsEntry("fell_back", true)
                .containsEntry("requested", "noshell")
                .containsEntry("actual", "maestro-bootstrap")
                .containsKey("error");
        assertThat(switched.text()).contains("the switch to noshell failed", "the safe image");
        assertThat(Bench.sh(environment, "git; echo x$IMAGE_NAME")).isEqualTo("stub\nx");
    }

    @Test
    @Full("whilePlanningATestContainerReadsOnlyAndHasNoNetwork removes one")
    void aTestContainerIsGoneAfterItsTimeAndKeepsItsOutput() {
        ToolResult tested = coding.call(
                "container_test",
                Map.of("image", images.busybox(), "command", "echo first; sleep 100", "seconds", 1, "network", false));
        assertThat(tested.isError()).isTrue();
        assertThat(tested.text()).contains("killed after 1 s", "first");
        assertThat(bench.containers(project)).isEmpty();
    }

    @Test
    void whilePlanningATestContainerReadsOnlyAndHasNoNetwork() {
        environment.enter(Phase.PLANNING);
        ToolResult tested = new ToolCaller(project, true)
                .call(
                        "container_test",
                        Map.of(
                                "image",
                                images.busybox(),
                                "network",
                                true,
                                "command",
                                "touch x; touch /tmp/x && echo tmp; ls /sys/class/net"));
        assertThat(tested.text()).contains("Read-only file system", "tmp").doesNotContain("eth0");
        assertThat(bench.workspace.resolve("x")).doesNotExist();
    }

    @Full("three builds; anImageIsBuiltTestedSwitchedToAndPinned has a check")
    @Test
    void anImageIsCheckedFromItsDockerfileAndByTheProjectsOwnScript() throws Exception {
        environment.enter(Phase.CODING);
        dockerfile("ENV CHECKED=yes\n");
        coding.call("container_build", Map.of("tag", "dev"));
        String id = String.valueOf(
                coding.call("container_update", Map.of("image", "dev")).data().get("image"));
        Path script = bench.write(
                ".maestro/container-check.sh", "#!/bin/sh\necho checked $CHECKED >&2\n[ $CHECKED = yes ]\n");
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
        ImageCheck good = environment.check(id, bench.workspace);
        assertThat(good.report())
                .startsWith("the container image is good")
                .contains("built from Dockerfile", ".maestro/container-check.sh succeeded");
        assertThat(good.passed()).isTrue();

        dockerfile("ENV CHECKED=no\n");
        ImageCheck changed = environment.check(id, bench.workspace);
        assertThat(changed.passed()).isFalse();
        assertThat(changed.image()).isNotEqualTo(id);
        assertThat(changed.report()).contains("failed with exit code 1", "checked no");

        Files.delete(bench.workspace.resolve("Dockerfile"));
        ImageCheck gone = environment.check(id, bench.workspace);
        assertThat(gone.passed()).isFalse();
        assertThat(gone.report()).contains("there is no file 'Dockerfile' in the workspace");

        assertThat(environment
                        .check("sha256:" + "0".repeat(64), bench.workspace)
                        .report())
                .contains("is not on the engine");
        assertThat(bench.containers(project)).hasSize(1);
    }

    @Full(
            "DockerStoryTest.anUpdatedImageIsCheckedMergedAndThenTheProjectsOwn adopts an image, and a second story works in it")
    @Test
    void anAdoptedImageIsUsedFromThenOnAndSurvivesTheStory() {
        environment.enter(Phase.CODING);
        dockerfile("ENV ADOPTED=first\n");
        coding.call("container_build", Map.of("tag", "dev"));
        String first = String.valueOf(
                coding.call("container_update", Map.of("image", "dev")).data().get("image"));
        environment.adopt(first);
        environment.adopt(first);
        environment.close();
        assertThat(images.cli().run("image", "inspect", first).succeeded()).isTrue();

        try (StoryEnvironment next = Bench.environment(project, bench.place("8"))) {
            next.enter(Phase.PLANNING);
            assertThat(Bench.sh(next, "echo $ADOPTED")).isEqualTo("first");
            next.enter(Phase.CODING);
            dockerfile("ENV ADOPTED=second\n");
            String second = String.valueOf(
                    coding.call("container_build", Map.of("tag", "dev")).data().get("image"));
            coding.call("container_build", Map.of("tag", "left-over"));
            next.adopt(second);
        }
        // The story that used it is closed, so nobody does any more.
        try (StoryEnvironment other = Bench.environment(bench.open(Map.of()), bench.place("9"))) {
            other.enter(Phase.CODING);
            assertThat(Bench.sh(other, "echo $ADOPTED")).isEqualTo("second");
        }
        // Another image in the configuration: what a story has chosen in place of the old one does not count.
        try (StoryEnvironment other =
                Bench.environment(bench.open(Map.of("image", images.good("given"))), bench.place("9"))) {
            other.enter(Phase.CODING);
            assertThat(Bench.sh(other, "echo x$ADOPTED $IMAGE_NAME")).isEqualTo("x given");
        }
    }

    @Test
    @Full("a build; SweepTest removes what is left in the same way")
    void whatAStoryHasBuiltAndNobodyHasAdoptedGoesWithIt() {
        environment.enter(Phase.CODING);
        dockerfile("ENV GONE=yes\n");
        String id = String.valueOf(
                coding.call("container_build", Map.of("tag", "dev")).data().get("image"));
        coding.call("container_switch", Map.of("image", "dev"));
        environment.close();
        // Its attempt may go on in it.
        assertThat(images.cli().run("image", "inspect", id).succeeded()).isTrue();
        environment.remove();
        assertThat(images.cli().run("image", "inspect", id).succeeded()).isFalse();
    }

    @Test
    void anImageChosenInAnEarlierLifeIsWorkedInAgain() {
        dockerfile("ENV RESUMED=yes\n");
        String id = String.valueOf(
                coding.call("container_build", Map.of("tag", "dev")).data().get("image"));
        try (StoryEnvironment resumed = Bench.environment(project, bench.place("7"))) {
            resumed.resume(id);
            resumed.enter(Phase.CODING);
            assertThat(Bench.sh(resumed, "echo $RESUMED")).isEqualTo("yes");
        }
    }

    @Test
    @Full("anUpdateThatFailsIsRolledBackAndSaysSo falls back to the safe image, too")
    void whereAnImageOfAnEarlierLifeIsGoneTheSafeOneIsWorkedIn() {
        try (StoryEnvironment lost = Bench.environment(project, bench.place("7"))) {
            lost.resume("sha256:" + "0".repeat(64));
            lost.enter(Phase.CODING);
            assertThat(Bench.sh(lost, "git")).isEqualTo("stub");
        }
    }
}
