package io.maestro.docker.internal.workspace;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.DockerException;
import io.maestro.docker.DockerHost;
import io.maestro.docker.internal.DockerCli;
import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.Instance;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestContainer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** TwoEnginesTest has what two real engines see. */
@RequiresEngine
class BindProbeTest {
    @TempDir
    Path directory;

    /** Otherwise a busy engine decides that a workspace is a volume. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "exit 0",
                "echo 'OCI runtime create failed: /sys/fs/cgroup/x: no such file or directory' >&2; exit 127"
            })
    void anAnswerThatSaysNothingIsAskedForAgain(String answer) throws Exception {
        assertThat(new BindProbe(directory).isHere(engine(answer, 2), TestContainer.BUSYBOX))
                .isTrue();
        Engine silent = engine(answer, 100);
        assertThatThrownBy(() -> new BindProbe(directory).works(silent, TestContainer.BUSYBOX))
                .isInstanceOf(DockerException.class);
        assertThat(directory.resolve("asked")).content().hasLineCount(3);
    }

    /** An engine whose first containers answer otherwise. */
    private Engine engine(String answer, int first) throws Exception {
        Files.deleteIfExists(directory.resolve("asked"));
        Path client = Files.writeString(directory.resolve("docker"), """
                #!/bin/sh
                case " $* " in
                *" run "*)
                    echo x >> '%1$s/asked'
                    if [ "$(wc -l < '%1$s/asked')" -le %2$d ]; then
                        %3$s
                    fi ;;
                esac
                exec docker "$@"
                """.formatted(directory, first, answer));
        Files.setPosixFilePermissions(client, PosixFilePermissions.fromString("rwx------"));
        return new Engine(
                new DockerCli(DockerHost.builder().program(client.toString()).build()),
                new Instance(Instance.newId(), Instance.newId(), directory));
    }
}
