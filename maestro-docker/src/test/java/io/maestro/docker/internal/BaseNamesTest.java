package io.maestro.docker.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.docker.DockerHost;
import io.maestro.docker.internal.Inspector.ObjectKind;
import io.maestro.testing.Full;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Several builds on one image at the same time: podman loses names that two commands change together, so it gets none. */
class BaseNamesTest {
    @ParameterizedTest
    @EnumSource(names = "DOCKER")
    void aNameIsForOneBuildOnlyAndPodmanNeedsNone(TestEngine.EngineKind kind) throws Exception {
        try (TestEngine test = kind.open()) {
            String id = test.engine.image(kind.busybox()).orElseThrow().id();
            String name;
            String other;
            try (BaseNames names = new BaseNames(test.engine);
                    BaseNames others = new BaseNames(test.engine)) {
                name = names.of(id).name();
                other = others.of(id).name();
                assertThat(names.of(id).name()).isEqualTo(name);
                assertThat(test.engine.image(name).orElseThrow().id()).isEqualTo(id);
                assertThat(name.equals(other)).isEqualTo(kind == TestEngine.EngineKind.PODMAN);
                assertThat(tags(test, id).contains("maestro-base:")).isEqualTo(kind == TestEngine.EngineKind.DOCKER);
            }
            assertThat(tags(test, id))
                    .contains("busybox")
                    .doesNotContain(test.engine.instance().id());
        }
    }

    @Test
    @Full("docker has the names, and podman gets none")
    void podmanNeedsNoNames() throws Exception {
        aNameIsForOneBuildOnlyAndPodmanNeedsNone(TestEngine.EngineKind.PODMAN);
    }

    /** Podman's list of images fails when somebody removes one of them meanwhile. */
    @Test
    void aListThatAnotherOnesRemovalHasDisturbedIsAskedForAgain(@TempDir Path directory) throws Exception {
        Path client = Files.writeString(directory.resolve("podman"), """
                #!/bin/sh
                case "$*" in
                *"image ls"*)
                    echo x >> %1$s/asked
                    if [ "$(wc -l < %1$s/asked)" -lt 7 ]; then
                        echo 'Error: reading image "1": locating image with ID "1": image not known' >&2; exit 125
                    fi
                    echo localhost/maestro-base:1-0123456789abcdef-1 ;;
                *) echo "$*" >> %1$s/told ;;
                esac
                """.formatted(directory));
        Files.setPosixFilePermissions(client, PosixFilePermissions.fromString("rwx------"));
        Engine engine = new Engine(
                new DockerCli(DockerHost.builder().program(client.toString()).build()),
                new Instance("0123456789abcdef", "1", directory));
        BaseNames.removeLeft(engine, "0123456789abcdef");
        assertThat(directory.resolve("asked")).content().hasLineCount(7);
        assertThat(directory.resolve("told"))
                .content()
                .isEqualTo("image rm --no-prune localhost/maestro-base:1-0123456789abcdef-1\n");
    }

    private static String tags(TestEngine test, String id) {
        return test.engine
                .inspector()
                .find(ObjectKind.IMAGE, id)
                .orElseThrow()
                .path("RepoTags")
                .toString();
    }
}
