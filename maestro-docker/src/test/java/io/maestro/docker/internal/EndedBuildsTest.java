package io.maestro.docker.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.BuildOptions;
import io.maestro.docker.ContainerLimits;
import io.maestro.docker.ImageBuild;
import io.maestro.docker.ImageBuildException;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.testing.Full;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the engine itself does for builds of untrusted files, where no limit holds, and what is left of those that were ended. */
@RequiresEngine
class EndedBuildsTest {

    private static Image build(TestEngine test, Path root, long disk) {
        return test.engine.build(
                ImageBuild.builder(root).network(false).build(),
                new BuildConfinement(
                        name -> test.engine.image(name).orElseThrow().id(),
                        ContainerLimits.PLANNING,
                        disk,
                        0,
                        () -> test.engine
                                .image(test.kind.busybox())
                                .orElseThrow()
                                .id(),
                        BuildOptions.defaults().limitsRequired(false),
                        "builds",
                        "builds"));
    }

    private static List<String> left(TestEngine test, String kind) {
        return test.engine
                .cli()
                .output(
                        kind,
                        "ls",
                        "--all",
                        "--quiet",
                        "--filter",
                        "label=" + Labels.UNFINISHED + "="
                                + test.engine.instance().id())
                .lines()
                .toList();
    }

    /** The file has no name of an archive, so that nothing but the builder could tell. */
    @Test
    @Full("a build; ConfinedDockerfileTest has what the builder is told")
    void noArchiveIsUnpackedByTheEngine() throws Exception {
        try (TestEngine test = TestEngine.EngineKind.DOCKER.open()) {
            Path root = test.directory("repo");
            Files.writeString(root.resolve("inner"), "x");
            Process tar = new ProcessBuilder("tar", "-czf", "packed", "inner")
                    .directory(root.toFile())
                    .inheritIO()
                    .start();
            assertThat(tar.waitFor()).isZero();
            Files.writeString(
                    root.resolve("Dockerfile"),
                    "FROM " + test.kind.busybox()
                            + "\nADD packed /x/\nRUN test -f /x/packed && test ! -e /x/inner && tar -xzf /x/packed\n");
            Image image = build(test, root, 4L << 30);
            assertThat(image.labels()).containsEntry(Labels.UNFINISHED, "");
        }
    }

    /** Files of no size on the disk have all of their length in an image: one is refused, many are ended. */
    @Test
    @Full("writes more than a gigabyte")
    void theEngineHasEndedWhatWasEndedAndNothingIsLeft() throws Exception {
        try (TestEngine test = TestEngine.EngineKind.DOCKER.open()) {
            Path root = test.directory("repo");
            String sparse = "dd if=/dev/zero bs=1 count=0 2>/dev/null";
            Files.writeString(
                    root.resolve("Dockerfile"),
                    "FROM " + test.kind.busybox() + "\nRUN : " + Instance.newId() + "; ! (" + sparse
                            + " seek=65M of=/a) || exit 1; i=0; while test $i -lt 30; do " + sparse
                            + " seek=60M of=/s$i || exit 1; i=$((i+1)); done\n");
            assertThatThrownBy(() -> build(test, root, 64L << 20))
                    .isInstanceOf(ImageBuildException.class)
                    .hasMessageContaining("it has written more than 64 MB");
            assertThat(left(test, "container")).isEmpty();
            assertThat(left(test, "image")).isEmpty();
        }
    }

    /** As after kill -9. Another instance's, and what somebody has given a name, stay. */
    @Test
    void theNextStartRemovesWhatIsLeft() throws Exception {
        try (TestEngine before = TestEngine.EngineKind.DOCKER.open();
                TestEngine other = TestEngine.EngineKind.DOCKER.open()) {
            Instance instance = before.engine.instance();
            String named = "maestro-test/" + instance.id() + ":1";
            leave(before, "");
            leave(before, named);
            leave(other, "");
            try (TestEngine now = TestEngine.EngineKind.DOCKER.open(
                    new Instance(instance.id(), Instance.newId(), instance.project()))) {
                new Sweep(now.engine, labels -> false).atStart();
                assertThat(left(now, "image")).hasSize(1);
                assertThat(now.engine.image(named)).isPresent();
                assertThat(left(other, "image")).hasSize(1);
            } finally {
                before.engine.cli().run("image", "rm", named);
                EndedBuilds.removeLeft(other.engine, other.engine.instance().id());
            }
            assertThat(left(before, "image")).isEmpty();
            assertThat(left(other, "image")).isEmpty();
        }
    }

    private static void leave(TestEngine test, String name) throws Exception {
        Path root = test.directory("left");
        Files.writeString(root.resolve("Dockerfile"), "FROM " + test.kind.busybox() + "\nENV NAME=" + name + "\n");
        ImageBuild.Builder build = ImageBuild.builder(root)
                .label(Labels.UNFINISHED, test.engine.instance().id());
        if (!name.isEmpty()) {
            build.tag(name);
        }
        Image image = test.engine.build(build.build());
        assertThat(image.labels())
                .containsEntry(Labels.UNFINISHED, test.engine.instance().id());
    }
}
