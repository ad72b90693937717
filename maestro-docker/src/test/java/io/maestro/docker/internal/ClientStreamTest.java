package io.maestro.docker.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.DockerException;
import io.maestro.docker.DockerHost;
import io.maestro.docker.DockerUnavailableException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Streams to and from a client that ends in its own ways. */
class ClientStreamTest {
    private static final byte[] MUCH = new byte[1 << 20];

    @TempDir
    Path directory;

    private DockerCli client(String script) throws IOException {
        Path program = Files.writeString(directory.resolve("docker"), "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        return new DockerCli(DockerHost.builder().program(program.toString()).build());
    }

    private static String run(DockerCli cli, ClientStream.Source source) {
        return ClientStream.run(cli, "taking it there", List.of("exec"), Duration.ofMinutes(1), source, in -> {
            int first = in.read();
            if (first < 0) {
                throw new EOFException("it said nothing");
            }
            return Character.toString(first);
        });
    }

    @Test
    void whatTheClientSaysWhenItEndsIsToldAndNotThatItsStreamsBroke() throws IOException {
        DockerCli cli = client("exec 0<&- 1>&-; sleep 0.3; echo 'no such exec' >&2; exit 126");
        assertThatThrownBy(() -> run(cli, out -> out.write(MUCH)))
                .isInstanceOfSatisfying(
                        ClientStream.FailedException.class,
                        e -> assertThat(e.exitCode()).isEqualTo(126))
                .hasMessageContaining("taking it there")
                .hasMessageContaining("no such exec");
    }

    @Test
    void anEngineThatGoesAwayMeanwhileIsUnavailable() throws IOException {
        DockerCli cli = client("exec 1>&-; sleep 0.3; echo 'Cannot connect to the Docker daemon' >&2; exit 1");
        assertThatThrownBy(() -> run(cli, out -> {})).isInstanceOf(DockerUnavailableException.class);
    }

    @Test
    void whatBreaksFirstOnThisSideIsTold() throws IOException {
        DockerCli cli = client("cat >/dev/null; echo x");
        assertThatThrownBy(() -> run(cli, out -> {
                    out.write(MUCH);
                    throw new EOFException("a file was being changed");
                }))
                .isInstanceOf(DockerException.class)
                .hasMessageContaining("a file was being changed");
    }

    @Test
    void aClientThatNeverStopsTalkingIsEnded() throws IOException {
        DockerCli cli = client("exec yes");
        assertThatThrownBy(() -> ClientStream.run(cli, "it", List.of("exec"), Duration.ofMinutes(1), out -> {}, in -> {
                    throw new IOException("too much");
                }))
                .isInstanceOf(DockerException.class)
                .hasMessageContaining("too much");
    }

    @Test
    void whatIsReadComesBack() throws IOException {
        assertThat(run(client("cat"), out -> out.write('x'))).isEqualTo("x");
    }
}
