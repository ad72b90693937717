package io.maestro.docker.internal.preflight;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.docker.DockerHost;
import io.maestro.docker.Preflight;
import io.maestro.docker.PreflightReport;
import io.maestro.docker.PreflightReport.Finding;
import io.maestro.docker.PreflightReport.Status;
import io.maestro.docker.PreflightReport.Subject;
import io.maestro.docker.internal.DockerCli;
import io.maestro.docker.testing.RequiresEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a host is told of an engine before anything is made there. */
class PreflightTest {
    private static final long GB = 1L << 30;

    @TempDir
    Path directory;

    private static Map<Subject, Finding> bySubject(PreflightReport report) {
        return report.findings().stream()
                .collect(Collectors.toMap(Finding::subject, finding -> finding, (first, more) -> first));
    }

    /** A client that says what a script prints; the engine keeps everything here. */
    private DockerHost client(String info, String rest) throws IOException {
        Path program = Files.writeString(directory.resolve("docker"), """
                #!/bin/sh
                case "$*" in
                --version) echo 'Docker version 24.0.7, build x' ;;
                'info --format {{json .}}') echo '%s' ;;
                %s
                'info --format {{.}}') echo x ;;
                version*) echo '1.43 1.44' ;;
                'compose version') echo 'Docker Compose version v2.24.0' ;;
                'buildx version') echo 'github.com/docker/buildx v0.12.0' ;;
                *) echo "unexpected $*" >&2; exit 1 ;;
                esac
                """.formatted(info, rest));
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        return DockerHost.builder().program(program.toString()).build();
    }

    private String info(long memory) throws IOException {
        return "{\"ServerVersion\": \"24.0.7\", \"NCPU\": 2, \"MemTotal\": " + memory + ", \"Name\": \""
                + Files.readString(Path.of("/proc/sys/kernel/hostname")).strip() + "\", \"DockerRootDir\": \""
                + directory
                + "\", \"Warnings\": [\"WARNING: No swap limit support\"], \"Runtimes\": {\"nvidia\": {}, \"runc\": {}}}";
    }

    private static PreflightReport look(DockerHost host, Platform platform, long free) {
        return new EngineChecks(new DockerCli(host), platform, false, path -> free, Path.of("/nonexistent")).report();
    }

    /** As a kernel writes it: two that listen everywhere, one on a bridge, three for the machine itself, and one that is connected. */
    @Test
    void whatContainersShareWithThisMachineIsToldWithWhatToDo() throws IOException {
        Path proc = Files.createDirectories(directory.resolve("proc"));
        Files.createDirectories(proc.resolve("sys/fs/inotify"));
        Files.createDirectories(proc.resolve("net"));
        Files.writeString(proc.resolve("sys/fs/inotify/max_user_instances"), "128\n");
        String rest = " 00000000:00000000 00:00000000 00000000     0        0 1234 1 0000000000000000 100 0 0 10 0\n";
        Files.writeString(
                proc.resolve("net/tcp"),
                "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
                        + "   0: 00000000:0016 00000000:0000 0A" + rest
                        + "   1: 0100007F:1F90 00000000:0000 0A" + rest
                        + "   2: 010011AC:0035 00000000:0000 0A" + rest
                        + "  10: 00000000:1F91 0100007F:0016 01" + rest);
        Files.writeString(
                proc.resolve("net/tcp6"),
                "   0: 00000000000000000000000000000000:0BB8 00000000000000000000000000000000:0000 0A" + rest
                        + "   1: 00000000000000000000000001000000:0BB9 00000000000000000000000000000000:0000 0A" + rest
                        + "   2: 0000000000000000FFFF00000100007F:0BBA 00000000000000000000000000000000:0000 0A"
                        + rest);
        PreflightReport plain = new EngineChecks(
                        new DockerCli(client(info(8 * GB), "")), Platform.DEBIAN, false, path -> 20 * GB, proc)
                .report();
        assertThat(plain.ready()).isTrue();
        assertThat(bySubject(plain).get(Subject.USER).toString())
                .startsWith("WARNING USER: a container can use up the 128 inotify instances")
                .contains("-> run Maestro as a user of its own");
        assertThat(bySubject(plain).get(Subject.LISTENERS).toString())
                .startsWith("WARNING LISTENERS: ")
                .contains("port 22, 53, 3000 -> ");
        PreflightReport mapped = new EngineChecks(
                        new DockerCli(client(
                                info(8 * GB),
                                "'info --format {{json .SecurityOptions}}') echo" + " '[\"name=userns\"]' ;;")),
                        Platform.DEBIAN,
                        false,
                        path -> 20 * GB,
                        proc)
                .report();
        assertThat(bySubject(mapped).get(Subject.USER).status()).isEqualTo(Status.OK);
    }

    @Test
    void whatIsThereIsToldWithItsVersions() throws IOException {
        PreflightReport report = look(client(info(8 * GB), ""), Platform.DEBIAN, 20 * GB);
        assertThat(report.ready()).isTrue();
        assertThat(report.findings())
                .extracting(Finding::subject)
                .containsExactly(
                        Subject.CLIENT,
                        Subject.ENGINE,
                        Subject.PERMISSIONS,
                        Subject.VERSIONS,
                        Subject.LIMITS,
                        Subject.COMPOSE,
                        Subject.BUILDX,
                        Subject.DISK,
                        Subject.MEMORY,
                        Subject.ROOTLESS,
                        Subject.GPU);
        assertThat(report.toString())
                .contains("OK CLIENT: Docker version 24.0.7", "engine 24.0.7 with API 1.44, client with API 1.43")
                .contains(
                        "WARNING LIMITS: WARNING: No swap limit support -> ",
                        "OK DISK: 20.0 GB are free in " + directory)
                .contains("OK MEMORY: the engine's machine has 8.0 GB", "the runtime nvidia");
    }

    @ParameterizedTest
    @CsvSource({"5368709120, OK", "5368709119, WARNING", "1073741824, WARNING", "1073741823, FAILED", "-1, INFORMATION"
    })
    void aDiskThatIsNearlyFullIsToldAndOneThatIsFullFails(long free, Status status) throws IOException {
        PreflightReport report = look(client(info(8 * GB), ""), Platform.DEBIAN, free);
        Finding disk = bySubject(report).get(Subject.DISK);
        assertThat(disk.status()).isEqualTo(status);
        assertThat(disk.guidance().isPresent()).isEqualTo(free >= 0 && free < 5 * GB);
        assertThat(report.ready()).isEqualTo(status != Status.FAILED);
    }

    @ParameterizedTest
    @CsvSource({
        "DEBIAN, sudo apt-get install docker.io",
        "FEDORA, sudo dnf install moby-engine docker-cli",
        "ARCH, sudo pacman -S docker",
        "MACOS, install Docker Desktop",
        "WSL, integration with this distribution",
        "OTHER, install the package docker.io"
    })
    void aMissingClientIsToldWithWhatToTypeOnThePlatform(Platform platform, String guidance) {
        DockerHost host = DockerHost.builder().program("/nowhere/docker").build();
        PreflightReport report = look(host, platform, GB);
        assertThat(report.ready()).isFalse();
        assertThat(report.findings()).singleElement().satisfies(finding -> {
            assertThat(finding.subject()).isEqualTo(Subject.CLIENT);
            assertThat(finding.guidance().orElseThrow()).contains(guidance);
        });
    }

    @Test
    void anEngineThatFailsWithoutAWordDoesNotAnswer() throws IOException {
        PreflightReport report = look(client("", "info*) exit 1 ;;"), Platform.DEBIAN, GB);
        assertThat(report.ready()).isFalse();
        assertThat(bySubject(report).get(Subject.ENGINE).detail()).contains(" info' on ", "failed with exit code 1");
    }

    @ParameterizedTest
    @CsvSource({"DEBIAN, sudo systemctl start docker", "MACOS, start Docker Desktop", "WSL, sudo service docker start"})
    void anEngineThatIsDownIsToldWithHowToStartIt(Platform platform, String guidance) throws IOException {
        String down = "info*|version*) echo 'Cannot connect to the Docker daemon at unix:///x. Is the docker daemon"
                + " running?' >&2; exit 1 ;;";
        PreflightReport report = look(client("", down), platform, GB);
        assertThat(report.ready()).isFalse();
        Finding engine = bySubject(report).get(Subject.ENGINE);
        assertThat(engine.status()).isEqualTo(Status.FAILED);
        assertThat(engine.detail()).contains("Cannot connect");
        assertThat(engine.guidance().orElseThrow()).contains(guidance);
        assertThat(bySubject(report)).doesNotContainKey(Subject.DISK);
    }

    @Test
    void aUserWhoMayNotUseTheEngineIsToldThatItsGroupIsAsGoodAsRoot() throws IOException {
        String denied = "info*) echo 'Got permission denied while trying to connect to the Docker daemon socket at"
                + " unix:///var/run/docker.sock: connect: permission denied' >&2; exit 1 ;;";
        Map<Subject, Finding> found = bySubject(look(client("", denied), Platform.DEBIAN, GB));
        assertThat(found.get(Subject.PERMISSIONS).status()).isEqualTo(Status.FAILED);
        assertThat(found.get(Subject.PERMISSIONS).guidance().orElseThrow())
                .contains("sudo usermod -aG docker $USER")
                .contains("as good as root");
    }

    @ParameterizedTest
    @ValueSource(strings = {"compose", "buildx"})
    void aMissingPluginIsAWarning(String plugin) throws IOException {
        String missing =
                "'" + plugin + " version') echo \"docker: '" + plugin + "' is not a docker command.\" >&2; exit 1 ;;";
        PreflightReport report = look(client(info(GB), missing), Platform.DEBIAN, 20 * GB);
        assertThat(report.ready()).isTrue();
        assertThat(report.toString())
                .contains("WARNING " + plugin.toUpperCase(Locale.ROOT) + ": there is no " + plugin)
                .contains("sudo apt-get install docker-" + plugin + "-plugin")
                .contains("WARNING MEMORY: the engine's machine has 1.0 GB");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Mac OS X|''|''|MACOS",
                "Linux|ID=ubuntu|5.15.0-microsoft-standard-WSL2|WSL",
                "Linux|ID=debian|6.1.0|DEBIAN",
                "Linux|ID=pop;ID_LIKE=\"ubuntu debian\"|6.1.0|DEBIAN",
                "Linux|ID=\"rocky\";ID_LIKE=\"rhel centos fedora\"|5.14|FEDORA",
                "Linux|ID=arch|6.6|ARCH",
                "Linux|ID=nixos|6.6|OTHER",
                "FreeBSD|''|''|OTHER"
            })
    void thePlatformIsFoundByItsOwnWords(String system, String release, String kernel, Platform platform) {
        assertThat(Platform.of(system, release.replace(';', '\n'), kernel)).isEqualTo(platform);
    }

    @RequiresEngine
    @Test
    void theEnginesOfThisMachineAreReady() {
        PreflightReport docker = Preflight.of(DockerHost.local());
        assertThat(docker.ready()).as("%s", docker).isTrue();
        assertThat(bySubject(docker).get(Subject.COMPOSE).status()).isEqualTo(Status.OK);
        assertThat(bySubject(docker).get(Subject.BUILDX).status()).isEqualTo(Status.OK);
        assertThat(bySubject(docker).get(Subject.DISK).detail()).contains(" GB are free in /");
        PreflightReport podman =
                Preflight.of(DockerHost.builder().program("podman").build());
        assertThat(podman.ready()).as("%s", podman).isTrue();
        assertThat(bySubject(podman).get(Subject.ROOTLESS).detail()).isEqualTo("the engine runs as root");
    }
}
