package io.maestro.docker.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.MissingNode;
import io.maestro.docker.ContainerSpec;
import io.maestro.docker.DockerException;
import io.maestro.docker.ImageBuild;
import io.maestro.docker.ImageBuildException;
import io.maestro.testing.Full;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ImagesTest {
    @ParameterizedTest
    @EnumSource
    @Full("ContainerToolsTest builds from such files")
    void anImageIsBuiltFromFilesBelowTheRoot(TestEngine.EngineKind kind) throws Exception {
        try (TestEngine test = kind.open()) {
            Path root = test.directory("repo");
            Path context = Files.createDirectories(root.resolve("a b"));
            Files.writeString(context.resolve("wanted"), "yes");
            Files.writeString(context.resolve("ignored"), "no");
            Files.writeString(context.resolve(".dockerignore"), "ignored\n");
            Files.writeString(
                    root.resolve("a b/Dockerfile.dev"),
                    "FROM " + kind.busybox()
                            + "\nARG WHO=nobody\nCOPY . /in/\nRUN echo $WHO > /in/who; env > /in/env\n");
            String tag = "maestro-test/" + test.engine.instance().id() + ":1";
            Image image = test.engine.build(ImageBuild.builder(root)
                    .context(Path.of("a b"))
                    .dockerfile(Path.of("a b/Dockerfile.dev"))
                    .tag(tag)
                    .label(Labels.STORY, "042")
                    .argument("WHO", "me, and \"you\" $HOME")
                    .build());
            assertThat(image.labels())
                    .containsEntry(Labels.BUILT_BY, test.engine.instance().id())
                    .containsEntry(Labels.DOCKERFILE, "a b/Dockerfile.dev")
                    .containsEntry(Labels.STORY, "042")
                    .containsEntry(Labels.INSTANCE, "");
            assertThat(test.engine.image(tag)).contains(image);
            assertThat(test.engine.images()).containsExactly(image);
            Container container = test.engine.start(
                    "a1", ContainerSpec.builder(image.id(), "test").build());
            assertThat(container.imageId()).isEqualTo(image.id());
            assertThat(in(test, container, "cat /in/who; ls /in"))
                    .isEqualTo("me, and \"you\" $HOME\nDockerfile.dev\nenv\nwanted\nwho\n");
            // Nothing of this process's environment but what the engine itself sets.
            Set<String> names =
                    in(test, container, "cut -d= -f1 /in/env").lines().collect(Collectors.toSet());
            assertThat(Set.of("PATH", "HOME", "WHO", "PWD", "SHLVL", "HOSTNAME", "TERM", "container"))
                    .containsAll(names);
            test.engine.remove(container);
            test.engine.removeImage(image.id());
            assertThat(test.engine.image(tag)).isEmpty();
            test.engine.removeImage(image.id());
        }
    }

    private static String in(TestEngine test, Container container, String line) {
        return test.engine
                .cli()
                .run("exec", container.id(), "sh", "-c", line)
                .stdout()
                .text();
    }

    @ParameterizedTest
    @EnumSource(names = "DOCKER")
    void aFailedBuildSaysWhatItPrintedAndLeavesNothing(TestEngine.EngineKind kind) throws Exception {
        try (TestEngine test = kind.open()) {
            Path root = test.directory("repo");
            String mark = Instance.newId();
            Files.writeString(
                    root.resolve("Dockerfile"),
                    "FROM " + kind.busybox() + "\nRUN echo first" + mark + "\nRUN echo before" + mark
                            + "; echo bad >&2; exit 7\n");
            Set<String> before = dangling(test);
            String tag = "maestro-test/" + test.engine.instance().id() + ":1";
            assertThatThrownBy(() ->
                            test.engine.build(ImageBuild.builder(root).tag(tag).build()))
                    .asInstanceOf(InstanceOfAssertFactories.throwable(ImageBuildException.class))
                    .hasMessageStartingWith("the build of Dockerfile failed:\n")
                    .hasMessageContaining("before" + mark)
                    .extracting(ImageBuildException::output, InstanceOfAssertFactories.STRING)
                    .contains("bad", "first" + mark);
            assertThat(test.engine.image(tag)).isEmpty();
            assertThat(ownDangling(test, before, mark)).isEmpty();
        }
    }

    @Test
    @Full("docker takes the same way through the code")
    void aFailedBuildSaysWhatItPrintedAndLeavesNothingOnPodman() throws Exception {
        aFailedBuildSaysWhatItPrintedAndLeavesNothing(TestEngine.EngineKind.PODMAN);
    }

    /** Other tests build at the same time, so only what has the mark in its history counts. */
    private static List<String> ownDangling(TestEngine test, Set<String> before, String mark) {
        return dangling(test).stream()
                .filter(id -> !before.contains(id))
                .filter(id -> test.engine
                        .cli()
                        .run("image", "history", "--no-trunc", id)
                        .stdout()
                        .text()
                        .contains(mark))
                .toList();
    }

    private static Set<String> dangling(TestEngine test) {
        return test.engine
                .cli()
                .output("image", "ls", "--all", "--quiet", "--no-trunc", "--filter", "dangling=true")
                .lines()
                .collect(Collectors.toSet());
    }

    @ParameterizedTest
    @EnumSource(names = "DOCKER")
    void aBuildEndsAtItsTimeLimit(TestEngine.EngineKind kind) throws Exception {
        try (TestEngine test = kind.open()) {
            Path root = test.directory("repo");
            // Podman calls what it works in after the base, and leaves it when it is ended; so it is found again below.
            String base = "maestro-test-" + Instance.newId();
            test.engine.cli().output("tag", kind.busybox(), base);
            Files.writeString(root.resolve("Dockerfile"), "FROM " + base + "\nRUN echo " + base + "; sleep 987654\n");
            assertThatThrownBy(() -> test.engine.build(ImageBuild.builder(root)
                            .timeLimit(Duration.ofSeconds(4))
                            .build()))
                    .isInstanceOf(ImageBuildException.class)
                    .hasMessageStartingWith("the build of Dockerfile was ended at its time limit of 4 s");
            TestEngine.await(() -> ProcessHandle.allProcesses()
                    .noneMatch(
                            process -> process.info().commandLine().orElse("").contains("sleep 987654")));
            if (kind == TestEngine.EngineKind.PODMAN) {
                test.engine.cli().output("rm", "--force", base + "-working-container");
            }
            test.engine.cli().output("image", "rm", base);
        }
    }

    @Test
    @Full("docker takes the same way through the code")
    void aBuildEndsAtItsTimeLimitOnPodman() throws Exception {
        aBuildEndsAtItsTimeLimit(TestEngine.EngineKind.PODMAN);
    }

    @ParameterizedTest
    @EnumSource(names = "DOCKER")
    void aNameThatIsAnothersIsNotTakenAndAnOlderImageOfOursGoes(TestEngine.EngineKind kind) throws Exception {
        try (TestEngine test = kind.open();
                TestEngine other = kind.open()) {
            Path root = test.directory("repo");
            Path file = Files.writeString(root.resolve("Dockerfile"), "FROM " + kind.busybox() + "\nENV A=1\n");
            String tag = "maestro-test/" + test.engine.instance().id() + ":1";
            ImageBuild build = ImageBuild.builder(root).tag(tag).build();
            Image first = test.engine.build(build);
            Files.writeString(file, "FROM " + kind.busybox() + "\nENV A=2\n");
            Image second = test.engine.build(build);
            assertThat(test.engine.image(first.id())).isEmpty();
            assertThat(test.engine.image(tag)).contains(second);
            assertThatThrownBy(() -> other.engine.build(build))
                    .isInstanceOf(ImageBuildException.class)
                    .hasMessageContaining("the name '" + tag + "' belongs to an image that was not built here");
            assertThatThrownBy(() -> other.engine.removeImage(second.id()))
                    .isInstanceOf(DockerException.class)
                    .hasMessageContaining("was not made by this instance");
            assertThatThrownBy(() -> test.engine.removeImage(kind.busybox()))
                    .isInstanceOf(DockerException.class)
                    .hasMessageContaining("was not made by this instance");
            assertThat(test.engine.image(tag)).contains(second);
        }
    }

    @Test
    @Full("docker takes the same way through the code")
    void aNameThatIsAnothersIsNotTakenAndAnOlderImageOfOursGoesOnPodman() throws Exception {
        aNameThatIsAnothersIsNotTakenAndAnOlderImageOfOursGoes(TestEngine.EngineKind.PODMAN);
    }

    @ParameterizedTest
    @EnumSource(names = "DOCKER")
    void aDerivedImageIsSetUpAsRootOnceAndAFailedSetUpIsNotKept(TestEngine.EngineKind kind) {
        try (TestEngine test = kind.open()) {
            String unique = Instance.newId();
            List<String> commands = List.of("id -u > /by-whom", "printf '%s\\n' '" + unique + "' \"a\nb\" > /made");
            Image derived = null;
            try {
                derived = test.engine.derive(kind.busybox(), commands);
                assertThat(test.engine.derive(kind.busybox(), commands)).isEqualTo(derived);
                assertThat(derived.labels()).containsEntry(Labels.SHARED, "derived");
                assertThat(test.engine.images()).isEmpty();
                Container container = test.engine.start(
                        "a1",
                        ContainerSpec.builder(derived.id(), "test")
                                .user("1234:99")
                                .build());
                assertThat(in(test, container, "cat /by-whom /made; id -u; grep CapEff /proc/self/status"))
                        .isEqualTo("0\n" + unique + "\na\nb\n1234\nCapEff:\t0000000000000000\n");
                test.engine.remove(container);
                List<String> failing = List.of("echo " + unique + " > /half", "exit 4");
                for (int again = 0; again < 2; again++) {
                    String base = derived.id();
                    assertThatThrownBy(() -> test.engine.derive(base, failing))
                            .isInstanceOf(ImageBuildException.class)
                            .hasMessageContaining("exit 4");
                }
            } finally {
                if (derived != null) {
                    test.engine.cli().run("image", "rm", "--force", derived.id());
                }
            }
            String hash = derived.id().substring("sha256:".length(), "sha256:".length() + 12);
            assertThat(test.engine.imageNames("maestro-base")).noneMatch(name -> name.contains("maestro-base:" + hash));
        }
    }

    @Test
    @Full("docker takes the same way through the code")
    void aDerivedImageIsSetUpAsRootOnceAndAFailedSetUpIsNotKeptOnPodman() {
        aDerivedImageIsSetUpAsRootOnceAndAFailedSetUpIsNotKept(TestEngine.EngineKind.PODMAN);
    }

    /** One that a container uses outlasts its successor's build, and not the next one. */
    @Full("three builds; aNameThatIsAnothers has an older image that goes")
    @ParameterizedTest
    @EnumSource
    void anImageThatIsBuiltAgainLeavesNoneForEver(TestEngine.EngineKind kind) {
        try (TestEngine test = kind.open()) {
            String base = test.engine.image(kind.busybox()).orElseThrow().id();
            DerivedImage image = DerivedImage.of(test.engine, "again", base, List.of("echo " + Instance.newId()));
            Image first = image.again();
            try {
                Container user = test.engine.start(
                        "a1", ContainerSpec.builder(first.id(), "test").build());
                Image second = image.again();
                assertThat(image.find()).contains(second);
                assertThat(test.engine.image(first.id())).isPresent();
                test.engine.remove(user);
                Image third = image.again();
                assertThat(image.find()).contains(third);
                assertThat(test.engine.image(first.id())).isEmpty();
                assertThat(test.engine.image(second.id())).isEmpty();
            } finally {
                DerivedImage.tags(test.engine, Optional.of("again"))
                        .forEach(name -> test.engine.cli().run("image", "rm", name));
            }
            assertThat(DerivedImage.tags(test.engine, Optional.of("again"))).isEmpty();
        }
    }

    /** A container from such an image would be another instance's, or be kept by every sweep. */
    @ParameterizedTest
    @EnumSource(names = "DOCKER")
    void labelsThatAnImageForgesAreTakenFromIt(TestEngine.EngineKind kind) throws Exception {
        try (TestEngine test = kind.open()) {
            Path root = test.directory("repo");
            StringBuilder forged = new StringBuilder("FROM " + kind.busybox() + "\n");
            for (String label : Labels.NOT_OF_IMAGES) {
                forged.append("LABEL ").append(label).append("=0123456789abcdef\n");
            }
            Files.writeString(root.resolve("Dockerfile"), forged + "LABEL " + Labels.BUILT_BY + "=0123456789abcdef\n");
            Image image = test.engine.build(ImageBuild.builder(root).build());
            assertThat(image.labels())
                    .containsEntry(Labels.BUILT_BY, test.engine.instance().id())
                    .doesNotContainValue("0123456789abcdef");
            // Where an image has them all the same, it is not from here. Others act on theirs.
            String foreign = "maestro-test/forged-" + Instance.newId();
            Files.writeString(
                    root.resolve("Dockerfile"),
                    forged
                            + "LABEL com.docker.compose.project=0123456789abcdef\nLABEL ofelia.job-local.a.schedule=0123456789abcdef\n"
                            + "ENV MAESTRO_EXEC_ID=0123456789abcdef\n");
            test.engine.cli().output("build", "--quiet", "--tag", foreign, root.toString());
            try {
                Container container = test.engine.start(
                        "a1", ContainerSpec.builder(foreign, "test").build());
                assertThat(test.engine.cli().output("inspect", "--format", "{{json .Config}}", container.id()))
                        .contains("\"com.docker.compose.project\":\"\"")
                        .doesNotContain("0123456789abcdef");
                assertThat(test.engine
                                .cli()
                                .output(
                                        "ps",
                                        "--quiet",
                                        "--filter",
                                        "label=com.docker.compose.project=0123456789abcdef"))
                        .isEmpty();
            } finally {
                test.engine.containers().forEach(test.engine::remove);
                test.engine.cli().run("rmi", "--force", foreign);
            }
        }
    }

    @Test
    @Full("docker takes the same way through the code")
    void labelsThatAnImageForgesAreTakenFromItOnPodman() throws Exception {
        labelsThatAnImageForgesAreTakenFromIt(TestEngine.EngineKind.PODMAN);
    }

    /** What the user's own builds use is neither read nor written, though it has the same place. */
    @Test
    @Full("two builds; aCacheOfBuildsIsOneAgentsAndNotOfWhatIsChecked has whose a cache is")
    void cachesOfOthersAreNotUsed() throws Exception {
        try (TestEngine test = TestEngine.EngineKind.DOCKER.open()) {
            Path root = test.directory("repo");
            String mount = "--mount=type=cache,target=/cache-" + Instance.newId();
            String target = mount.substring(mount.indexOf('/'));
            String users = "FROM " + test.kind.busybox() + "\nRUN " + mount + " ls " + target
                    + " | grep agents && exit 1; " + "echo users > " + target + "/users # ";
            Files.writeString(root.resolve("Dockerfile"), users + "1\n");
            test.engine.build(ImageBuild.builder(root).build());
            String agents = "FROM " + test.kind.busybox() + "\nRUN " + mount + " ls " + target
                    + " | grep users && exit 1; echo agents > " + target + "/agents\n";
            Files.writeString(
                    root.resolve("Dockerfile"),
                    new ConfinedDockerfile(
                                    Map.of(),
                                    name -> new BaseNames.Base(name, MissingNode.getInstance()),
                                    "maestro" + test.engine.instance().id(),
                                    new ConfinedDockerfile.Abilities(false, true))
                            .of(agents));
            test.engine.build(ImageBuild.builder(root).build());
            Files.writeString(root.resolve("Dockerfile"), users + "2\n");
            test.engine.build(ImageBuild.builder(root).build());
            Files.writeString(root.resolve("Dockerfile"), agents);
            assertThatThrownBy(() -> test.engine.build(ImageBuild.builder(root).build()))
                    .as("the attack works")
                    .isInstanceOf(ImageBuildException.class);
        }
    }

    @Test
    void aContextOrADockerfileOutsideIsRefused() throws IOException {
        try (TestEngine test = TestEngine.EngineKind.DOCKER.open()) {
            Path root = test.directory("repo");
            Path secret = Files.createDirectories(root.resolveSibling("secret"));
            Files.writeString(secret.resolve("Dockerfile"), "FROM scratch\n");
            Files.createSymbolicLink(root.resolve("link"), secret);
            Files.createSymbolicLink(root.resolve("Dockerfile"), secret.resolve("Dockerfile"));
            Files.writeString(root.resolve("File"), "FROM scratch\n");
            ImageBuild.Builder good = ImageBuild.builder(root).dockerfile(Path.of("File"));
            refused(test, ImageBuild.builder(root), "the Dockerfile " + root + "/Dockerfile leads to " + secret);
            refused(test, good.context(Path.of("..")), "the context " + root.getParent() + " is outside of " + root);
            refused(test, good.context(Path.of("link")), "the context " + root + "/link leads to " + secret);
            refused(test, good.context(secret), "the context " + secret + " is outside of " + root);
            refused(test, good.context(Path.of("none")), "there is no context " + root + "/none");
            refused(test, good.context(Path.of("File")), "the context " + root + "/File is no directory");
            good.context(root);
            refused(test, good.dockerfile(Path.of("/etc/passwd")), "the Dockerfile /etc/passwd is outside of " + root);
            refused(test, good.dockerfile(Path.of("link/Dockerfile")), "is outside of " + root);
            refused(test, good.dockerfile(root), "is no file");
            for (String run : List.of(
                    "RUN --network=host id",
                    "run --mount=type=cache,target=/x \\\n  --network=host id",
                    "  RUN\t--security=insecure id")) {
                Files.writeString(root.resolve("File"), "FROM scratch\n" + run + "\n");
                refused(
                        test,
                        good.dockerfile(Path.of("File")),
                        "which would give a command of the build the machine's");
            }
        }
    }

    private static void refused(TestEngine test, ImageBuild.Builder build, String reason) {
        assertThatThrownBy(() -> test.engine.build(build.build()))
                .isInstanceOf(ImageBuildException.class)
                .hasMessageStartingWith("the image is not built: ")
                .hasMessageContaining(reason);
    }

    @Test
    void theClassicBuildersStepsAreReadRightly() {
        assertThat(EndedBuilds.lastMade(
                        "Step 1/3 : FROM a\n ---> 0123456789ab\nStep 2/3 : RUN false\n ---> Running in 1"))
                .isEmpty();
        assertThat(EndedBuilds.lastMade("Step 1/3 : FROM a\n ---> 0123456789ab\nStep 2/3 : RUN true\n ---> Running in"
                        + " 9\nRemoving intermediate container 9\n ---> aaaaaaaaaaaa\nStep 3/3 : RUN false"))
                .contains("aaaaaaaaaaaa");
        assertThat(EndedBuilds.lastMade(
                        "Step 1/3 : FROM a\n ---> 0123456789ab\nStep 2/3 : RUN true\n ---> Using cache\n"
                                + " ---> aaaaaaaaaaaa\nStep 3/3 : RUN false"))
                .isEmpty();
    }
}
