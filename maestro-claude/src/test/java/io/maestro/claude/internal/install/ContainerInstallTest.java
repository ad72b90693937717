package io.maestro.claude.internal.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.maestro.claude.ClaudeInstallException;
import io.maestro.claude.ClaudeInstaller;
import io.maestro.claude.ClaudeInstaller.Installed;
import io.maestro.claude.ClaudeInstaller.Source;
import io.maestro.claude.testing.RealClaude;
import io.maestro.claude.testing.RequiresClaude;
import io.maestro.docker.DockerExecutor;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestContainer;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.testing.Full;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Containers as agents have them: another user, nothing to be written, no capabilities, no network. */
@RequiresEngine
@RequiresClaude
@Full("containers; ClaudeInContainersTest installs the CLI in one in the short tier")
class ContainerInstallTest {
    @TempDir
    Path directory;

    private static TestContainer agent(String image, String... more) {
        List<String> options = new ArrayList<>(List.of(
                "--user",
                "1000:1000",
                "--read-only",
                "--cap-drop",
                "ALL",
                "--security-opt",
                "no-new-privileges",
                "--network",
                "none",
                "--tmpfs",
                "/workspace:mode=1777",
                "--tmpfs",
                "/tmp:mode=1777"));
        options.addAll(List.of(more));
        return new TestContainer("docker", image, options.toArray(String[]::new));
    }

    @Test
    void theHostsBinaryIsCopiedAndRunsAsTheAgent() {
        try (TestContainer container = agent(TestContainer.DEBIAN, "--tmpfs", "/state:exec,uid=1000,gid=1000");
                DockerExecutor executor =
                        DockerExecutor.builder(container.name()).build()) {
            ClaudeInstaller installer = ClaudeInstaller.on(executor)
                    .hostProgram(RealClaude.program())
                    .directory("/state")
                    .build();

            Installed installed = installer.ensure();

            assertThat(installed.source()).isEqualTo(Source.COPIED);
            assertThat(installed.version()).matches("2\\.1\\.\\d+");
            assertThat(installed.report()).contains("verified by its SHA-256");
            ExecResult seen = executor.run(ExecRequest.shell("stat -c '%u %a %n' /state/bin/*; ls -A /tmp /workspace; "
                            + installed.program() + " --version")
                    .environment("HOME", "/dev/null")
                    .build());
            assertThat(seen.stdout().text())
                    .isEqualTo("1000 755 /state/bin/claude\n1000 644 /state/bin/claude.from\n/tmp:\n\n/workspace:\n"
                            + "2.1.197 (Claude Code)\n");

            assertThat(installer.ensure().report()).contains("already");
        }
    }

    @Test
    void aGlibcBinaryIsRefusedWhereThereIsNone() {
        try (TestContainer container = agent(TestContainer.BUSYBOX, "--tmpfs", "/state:exec,uid=1000,gid=1000");
                DockerExecutor executor =
                        DockerExecutor.builder(container.name()).build()) {
            assertThatThrownBy(() -> ClaudeInstaller.on(executor)
                            .hostProgram(RealClaude.program())
                            .directory("/state")
                            .build()
                            .ensure())
                    .isInstanceOf(ClaudeInstallException.class)
                    .hasMessageContaining("claude on the PATH: not tried, there is none")
                    .hasMessageContaining("it needs glibc")
                    .hasMessageContaining("the sandbox has neither glibc nor musl")
                    .hasMessageContaining("installing over the network: not tried, there is no network")
                    .hasMessageContaining("ClaudeInstaller.dockerfile()");
            assertThat(container.sh("ls -A /state")).isEmpty();
        }
    }

    @Test
    void aDirectoryInWhichNothingMayRunIsSaid() {
        Path fake = new InstallPlace(directory).program("claude", InstallPlace.CURRENT);
        try (TestContainer container = agent(TestContainer.DEBIAN);
                DockerExecutor executor =
                        DockerExecutor.builder(container.name()).build()) {
            assertThatThrownBy(() -> ClaudeInstaller.on(executor)
                            .hostProgram(fake)
                            .directory("/tmp/state")
                            .build()
                            .ensure())
                    .isInstanceOf(ClaudeInstallException.class)
                    .hasMessageContaining("mounted noexec");
            assertThatThrownBy(() -> ClaudeInstaller.on(executor)
                            .hostProgram(fake)
                            .directory("/opt/state")
                            .build()
                            .ensure())
                    .isInstanceOf(ClaudeInstallException.class)
                    .hasMessageContaining("name a directory that the run's user may write to");
        }
    }

    /** A version check as root has made the state directory of another user root's. */
    @Test
    void whoeverChecksTheVersionNothingIsLeft() {
        try (TestContainer container = new TestContainer(
                        "docker",
                        TestContainer.DEBIAN,
                        "--network",
                        "none",
                        "-v",
                        RealClaude.program() + ":/usr/local/bin/claude:ro");
                DockerExecutor executor =
                        DockerExecutor.builder(container.name()).build()) {
            container.sh("mkdir -p /home/dev && chown 1000:1000 /home/dev && touch /since");
            for (String user : List.of("0:0", "1000:1000")) {
                Installed installed =
                        ClaudeInstaller.on(executor).user(user).build().ensure();

                assertThat(installed.program()).isEqualTo("/usr/local/bin/claude");
                assertThat(installed.source()).isEqualTo(Source.FOUND);
            }
            assertThat(container.sh("find / -xdev -newer /since -not -path '/proc/*' -not -path '/dev/*' -type f;"
                            + " find / -xdev -name '.claude*'"))
                    .isEmpty();
        }
    }

    /** Debian's packages come over the network; the registry is on this machine. */
    @Test
    void whatADownloadNeedsIsInstalledFirst() throws Exception {
        assumeTrue(System.getProperty("os.arch").equals("amd64"), "the stub has the package for linux-x64 only");
        try (TestContainer container = new TestContainer("docker", TestContainer.DEBIAN);
                DockerExecutor executor =
                        DockerExecutor.builder(container.name()).build()) {
            String gateway = container
                    .cli("inspect", "--format", "{{.NetworkSettings.Gateway}}", container.name())
                    .strip();
            try (StubRegistry registry = new StubRegistry(InetAddress.getByName(gateway), InstallPlace.CURRENT, null)) {
                container.sh("mkdir /state && chown 1000:1000 /state");

                Installed installed = ClaudeInstaller.on(executor)
                        .user("1000:1000")
                        .administrator("0:0")
                        .registry(registry.address())
                        .directory("/state")
                        .build()
                        .ensure();

                assertThat(installed.source()).isEqualTo(Source.DOWNLOADED);
                assertThat(installed.report()).contains("apt-get has installed curl");
                assertThat(container.sh("stat -c %u /state/bin /state/bin/claude"))
                        .isEqualTo("1000\n1000\n");
            }
        }
    }
}
