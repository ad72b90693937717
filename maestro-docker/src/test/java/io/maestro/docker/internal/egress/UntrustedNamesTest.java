package io.maestro.docker.internal.egress;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UntrustedNamesTest {
    private static final List<String> REGISTRIES = List.of("docker.io", "registry.example.org:5000", "ghcr.io");

    @ParameterizedTest
    @CsvSource({
        "python, docker.io/library/python",
        "python:3.12-slim, docker.io/library/python:3.12-slim",
        "team/app@sha256:00, docker.io/team/app@sha256:00",
        "docker.io/library/python:3, docker.io/library/python:3",
        "ghcr.io/a/b/c:1, ghcr.io/a/b/c:1",
        "registry.example.org:5000/app, registry.example.org:5000/app",
        // No registries but directories of the first one, for engines, too.
        "2130706433/x, docker.io/2130706433/x",
        "0x7f000001/x, docker.io/0x7f000001/x",
        // Podman would take these for files and transports, were they not written in full.
        "docker-archive:x.tar, docker.io/library/docker-archive:x.tar",
        "sha256:00, docker.io/library/sha256:00"
    })
    void anImageIsAskedOfAnAllowedRegistryByItsFullName(String name, String full) {
        assertThat(UntrustedNames.image(name, REGISTRIES)).isEqualTo(full);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1/x",
                "127.0.0.1:5000/x:1",
                "127.1:80/x",
                "10.1.2.3/x",
                "169.254.169.254/x",
                "localhost/x",
                "localhost:5000/x",
                "LOCALHOST/x",
                "NEXUS/x",
                "Nexus/x",
                "nexus:5000/x",
                "nexus./x",
                "nexus.corp/x",
                "registry.example.org/x",
                "registry.example.org:443/x",
                "ghcr.io:443/x",
                "ghcr.io./x",
                "GHCR.IO/x",
                "ghcr.io.example.org/x",
                "me@ghcr.io/x",
                "dir:/etc/x",
                "oci:/etc/x",
                "docker://ghcr.io/x",
                "docker-daemon:/x"
            })
    void anyOtherRegistryIsRefused(String name) {
        assertThatThrownBy(() -> UntrustedNames.image(name, REGISTRIES))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no registry that the host allows")
                .hasMessageContaining("registry.example.org:5000");
        assertThatThrownBy(() -> UntrustedNames.image("python", List.of())).hasMessageContaining("no registry");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--privileged", "a b", "[::1]:5000/x", "x\u2003y", "//x", "${X}"})
    void whatIsNoNameIsRefused(String name) {
        assertThatThrownBy(() -> UntrustedNames.image(name, REGISTRIES)).hasMessageContaining("is no image");
    }

    @Test
    void aContainerHasNoNameThatAnotherMachineCouldHave() {
        for (String name : List.of("db", "my_db-1", "DB", "x".repeat(63))) {
            assertThatCode(() -> UntrustedNames.requireContainer(name)).doesNotThrowAnyException();
        }
        for (String name : List.of(
                "mirror.example.org",
                "packages.example.org.",
                ".db",
                "db.",
                "1.2.3.4",
                "::1",
                "",
                "a b",
                "deb\u3002debian\u3002org",
                "$$x",
                "x".repeat(64))) {
            assertThatThrownBy(() -> UntrustedNames.requireContainer(name))
                    .as(name)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("name of another machine");
        }
    }

    @Test
    void theMachinesAddressIsKnown() {
        assertThat(List.of("host-gateway", " Host-Gateway ")).allMatch(UntrustedNames::isMachine);
        assertThat(List.of("192.0.2.1", "::1", "", "gateway")).noneMatch(UntrustedNames::isMachine);
    }
}
