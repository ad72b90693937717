package io.maestro.docker;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.ProvisioningReport.StepStatus;
import io.maestro.docker.internal.TestEngine;
import io.maestro.docker.testing.GitImage;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.testing.Full;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The contract on Docker, and what is no matter of the engine. */
@RequiresEngine
class ProvisioningTest extends ProvisioningContract {
    ProvisioningTest() throws Exception {
        super(DockerHost.local(), "maestro-test/busybox:latest", GitImage.NAME);
        GitImage.require();
    }

    @Test
    void variablesAreChosenByModeAndNothingIsForWhatIsNotTrusted() {
        ProvisionedContainer clean = containers.create(ContainerRequest.builder()
                .purpose("clean")
                .image(busybox)
                .environment("OWN", LITERAL)
                .build());
        ProvisionedContainer named = containers.create(ContainerRequest.builder()
                .passthrough(EnvironmentPassthrough.of(List.of("EDITOR", "ABSENT")))
                .forwardGitHub(false)
                .environment("EDITOR", "ed")
                .build());
        ProvisionedContainer all = containers.create(ContainerRequest.builder()
                .passthrough(EnvironmentPassthrough.all())
                .forwardGitHub(false)
                .build());

        assertThat(clean.state().variables()).containsExactly("HOME", "OWN");
        assertThat(out(clean, "printf %s \"$OWN\"")).isEqualTo(LITERAL);
        assertThat(status(clean, "forward_git")).isEqualTo(StepStatus.SKIPPED);
        assertThat(named.state().variables()).containsExactly("EDITOR", "HOME");
        assertThat(out(named, "echo $EDITOR")).isEqualTo("ed\n");
        assertThat(status(named, "environment")).isEqualTo(StepStatus.PARTIAL);
        assertThat(all.state().variables()).containsExactly("EDITOR", "HOME", "HTTP_PROXY", "OPENAI_API_KEY");
        assertThatThrownBy(() -> EnvironmentPassthrough.of(List.of("LD_PRELOAD")))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void repositoriesFilesAndDotfilesAreThereAndFailuresAreNamed() throws Exception {
        ProvisionedContainer container = containers.create(ContainerRequest.builder()
                .image(withGit)
                .setUp("true")
                .file("/etc/app/o'dd \"name\"", "MAESTRO_EOF\n'quotes' $HOME\n")
                .file("/proc/none", "x")
                .dotfile(".config/tool.ini", "a=b\n")
                .repository(new ClonedRepository("file:///origin", null, null))
                .repository(new ClonedRepository("file:///none", "/opt/none", null))
                .dotfilesRepository("file:///none-either")
                .build());

        assertThat(out(container, "cat \"/etc/app/o'dd \\\"name\\\"\" ~/.config/tool.ini; stat -c %U ~/.config"))
                .isEqualTo("MAESTRO_EOF\n'quotes' $HOME\na=b\nmaestro\n");
        assertThat(status(container, "config_files")).isEqualTo(StepStatus.PARTIAL);
        assertThat(status(container, "dotfiles")).isEqualTo(StepStatus.PARTIAL);
        assertThat(status(container, "repos")).isEqualTo(StepStatus.FAILED);
        assertThat(container.report().orElseThrow().step("repos").orElseThrow().error())
                .contains("file:///none: exit code 128");
    }

    @Test
    @Full("two containers; repositoriesFilesAndDotfilesAreThereAndFailuresAreNamed clones, too")
    void repositoriesAreClonedByTheUserAndInstalledByRoot() throws Exception {
        Path origin = Files.createDirectories(directory.resolve("origin"));
        run(
                origin,
                "git init -q . && printf 'a' > a && mkdir -p dots && printf 'x=1' > .toolrc"
                        + " && printf 'ln -s \"$PWD\" ~/installed' > install.sh"
                        + " && git add . && git -c user.name=a -c user.email=a@b commit -qm one && chown -R 1000:1000 .");
        ProvisionedContainer container = containers.create(ContainerRequest.builder()
                .image(withGit)
                .mount(Mount.bind(origin, "/origin").asReadOnly())
                .repository(new ClonedRepository("file:///origin", null, "id -u > /installed; cat a"))
                .repository(new ClonedRepository("file:///origin", "/opt/deep/one", "exit 4"))
                .dotfilesRepository("file:///origin")
                .build());

        assertThat(container.report().orElseThrow().step("repos").orElseThrow().detail())
                .as(container.report().toString())
                .contains("1 of 2");
        assertThat(out(
                        container,
                        "cat /workspace/origin/a; cat /installed; stat -c %u /workspace/origin; ls -d ~/installed/a"))
                .isEqualTo("a0\n1000\n/home/maestro/installed/a\n");
        assertThat(container.report().orElseThrow().step("repos").orElseThrow().error())
                .contains("was cloned to /opt/deep/one, but 'exit 4' failed: exit code 4");
    }

    @Test
    @Full("three containers; AgentContainersTest has names, numbers and rules")
    void namesAreFoundTakenAndCountedAndRulesHold() throws Exception {
        ContainerRules rules = ContainerRules.builder()
                .image(busybox)
                .maxContainers(2)
                .allowRoot(false)
                .allowPull(false)
                .limits(new ContainerLimits(1, 64L << 20, 50))
                .build();
        try (Containers few = open("few", rules)) {
            ProvisionedContainer first =
                    few.create(ContainerRequest.builder().name("one").build());
            assertThat(few.container("one")).isEqualTo(first);
            assertThatThrownBy(() ->
                            few.create(ContainerRequest.builder().name("one").build()))
                    .hasMessageContaining("there is a container 'one' already");
            assertThatThrownBy(() -> few.container("../../x")).hasMessageContaining("there are one");
            assertThatThrownBy(first::rootExecutor).hasMessageContaining("allowRoot");
            assertThatThrownBy(() -> few.create(
                            ContainerRequest.builder().privileged(true).build()))
                    .hasMessageContaining("allowPrivileged");
            assertThatThrownBy(() ->
                            few.create(ContainerRequest.builder().gpu(true).build()))
                    .hasMessageContaining("allowGpu");
            assertThatThrownBy(() -> few.create(
                            ContainerRequest.builder().network("host").build()))
                    .hasMessageContaining("allowHostNetwork");
            assertThatThrownBy(() -> few.create(ContainerRequest.builder()
                            .limits(new ContainerLimits(1, 65L << 20, 50))
                            .build()))
                    .hasMessageContaining("more than the rules allow");
            assertThatThrownBy(() -> few.create(
                            ContainerRequest.builder().image("none/such:1").build()))
                    .hasMessageContaining("none is fetched");
            assertThatThrownBy(() -> few.create(
                            ContainerRequest.builder().purpose("none").build()))
                    .hasMessageContaining("there is no purpose 'none'; there are clean, general");
            few.create(ContainerRequest.builder().build());
            assertThatThrownBy(() -> few.create(ContainerRequest.builder().build()))
                    .hasMessageContaining("no more than 2")
                    .hasMessageContaining("box-1, one");
            assertThat(cli.output(
                            "inspect",
                            "--format",
                            "{{.HostConfig.Memory}} {{.HostConfig.PidsLimit}}",
                            first.container().id()))
                    .isEqualTo((64 << 20) + " 50");
        }
    }

    @Test
    @Full("aContainerIsMadeUsedAndRemoved has a container that runs")
    void aServiceRunsTheProgramOfItsImage() throws Exception {
        Path files = Files.createDirectories(directory.resolve("service"));
        Files.writeString(
                files.resolve("Dockerfile"),
                "FROM " + busybox + "\nCMD [\"sh\", \"-c\", \"echo $GREETING; exec sleep 1000\"]\n");
        String image = containers.build(ImageBuild.builder(files).build());
        ProvisionedContainer container = containers.create(ContainerRequest.builder()
                .image(image)
                .imageProgram(true)
                .environment("GREETING", "it serves")
                .build());
        TestEngine.await(() -> container.container().logs(5).contains("it serves"));
        assertThat(out(container, "echo $GREETING")).isEqualTo("it serves\n");
        container.destroy();
        container.destroy();
        containers.removeImage(image);
    }

    private ContainerRules.Builder purposes() {
        return ContainerRules.builder()
                .purpose(Purpose.of("counted-tools", busybox)
                        .with("echo installed > /tools; date +%s%N > /when")
                        .caching("things", ".cache/things"))
                .purpose(Purpose.of("broken-tools", busybox).with("echo half > /half; exit 9"));
    }

    private static ContainerRequest.Builder counted() {
        return ContainerRequest.builder().purpose("counted-tools");
    }

    private static String imageStep(ProvisionedContainer container) {
        return container.report().orElseThrow().step("image").orElseThrow().detail();
    }

    @Test
    void aPurposesImageIsBuiltOnceAndItsCacheIsKept() throws Exception {
        try (Containers own = open("purposes", purposes().build())) {
            own.clearCaches(Optional.of("counted-tools"));
            ProvisionedContainer first = own.create(counted().build());
            assertThat(imageStep(first)).contains("installed now");
            String when = out(first, "cat /when; echo kept > ~/.cache/things/file; stat -c %U ~/.cache");
            first.destroy();
            ProvisionedContainer second = own.create(counted().build());
            assertThat(imageStep(second)).contains("installed before");
            assertThat(out(second, "cat /when; cat ~/.cache/things/file; stat -c %U ~/.cache"))
                    .isEqualTo(when.replace("maestro", "kept\nmaestro"));
            own.destroyAll();
            assertThat(own.clearCaches(Optional.of("counted-tools"))).hasSize(2);
        }
    }

    @Test
    @Full("two builds; ImagesTest has a set-up that fails")
    void aPurposesImageIsNeverOneWhoseSetUpFailed() throws Exception {
        try (Containers own = open("purposes", purposes().build())) {
            for (int attempt = 0; attempt < 2; attempt++) {
                assertThatThrownBy(() -> own.create(ContainerRequest.builder()
                                .purpose("broken-tools")
                                .build()))
                        .isInstanceOf(ImageBuildException.class);
            }
        }
    }

    @Test
    @Full("seven containers; aPurposesImageIsBuiltOnceAndItsCacheIsKept keeps an image and a cache in the same way")
    void whatIsKeptForAPurposeIsNotUsedWhereItMustNotBe() throws Exception {
        String when;
        try (Containers own = open("purposes", purposes().build())) {
            own.clearCaches(Optional.of("counted-tools"));
            when = out(own.create(counted().build()), "cat /when; echo kept > ~/.cache/things/file")
                    .strip();
            ProvisionedContainer fresh =
                    own.create(counted().freshImage(true).caches(false).build());
            assertThat(out(fresh, "cat /when; ls -A ~")).doesNotContain(when, ".cache");
            // What a host or a request names is never replaced by something kept.
            ProvisionedContainer other = own.create(counted().image(withGit).build());
            assertThat(out(other, "git --version; cat /tools")).contains("git version", "installed");
            assertThat(other.report()
                            .orElseThrow()
                            .step("profile")
                            .orElseThrow()
                            .detail())
                    .contains("installed in the container");
        }
        try (Containers own = open("purposes", purposes().cacheBytes(1 << 20).build())) {
            ProvisionedContainer first = own.create(counted().build());
            out(first, "dd if=/dev/zero of=$HOME/.cache/things/large bs=1024k count=2 2>&1");
            ProvisionedContainer beside = own.create(counted().build());
            assertThat(out(beside, "ls -A ~/.cache/things")).contains("large", "file");
            own.destroyAll();
            assertThat(out(own.create(counted().build()), "ls -A ~/.cache/things; echo > ~/.cache/things/file"))
                    .doesNotContain("large", "file");
            own.destroyAll();
            assertThat(out(own.create(counted().build()), "ls -A ~/.cache/things"))
                    .contains("file");
            own.destroyAll();
        }
        try (Containers own =
                open("purposes", purposes().cacheAge(Duration.ofMillis(1)).build())) {
            ProvisionedContainer aged = own.create(counted().build());
            assertThat(imageStep(aged)).contains("installed now");
            assertThat(out(aged, "cat /when; ls -A ~/.cache/things")).doesNotContain(when, "file");
            own.destroyAll();
            own.clearCaches(Optional.of("counted-tools"));
        }
    }

    private static void run(Path at, String line) throws Exception {
        Process process = new ProcessBuilder("sh", "-c", line)
                .directory(at.toFile())
                .inheritIO()
                .start();
        assertThat(process.waitFor()).isZero();
    }
}
