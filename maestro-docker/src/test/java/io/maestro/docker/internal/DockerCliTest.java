package io.maestro.docker.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.DockerException;
import io.maestro.docker.DockerHost;
import io.maestro.docker.DockerUnavailableException;
import io.maestro.error.RetriableException;
import io.maestro.exec.ExecResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of what a client says, with clients that are scripts. */
class DockerCliTest {
    @TempDir
    Path directory;

    private DockerCli client(String script) throws Exception {
        return client("docker", script);
    }

    private DockerCli client(String name, String script) throws Exception {
        Path program = Files.writeString(directory.resolve(name), "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        return new DockerCli(DockerHost.builder().program(program.toString()).build());
    }

    @Test
    void anEngineThatHangsIsOneThatDoesNotAnswer() throws Exception {
        DockerCli cli = client("exec sleep 600");
        ExecResult result = cli.run(
                cli.command(List.of("ps")).timeLimit(Duration.ofMillis(300)).build());
        assertThat(result.ending()).isEqualTo(ExecResult.Ending.TIMED_OUT);
        assertThat(cli.failure(result, "ps"))
                .isInstanceOf(DockerUnavailableException.class)
                .isInstanceOf(RetriableException.class)
                .hasMessageContaining("docker ps' on ")
                .hasMessageContaining("did not end in time");
    }

    @Test
    void anEngineThatRefusesHasAnswered() throws Exception {
        DockerCli cli = client("echo 'no such container' >&2; exit 3");
        assertThat(cli.failure(cli.run("rm", "x"), "rm", "x"))
                .isInstanceOf(DockerException.class)
                .hasMessageContaining("failed with exit code 3: no such container");
    }

    /** The engine may be back before it is asked whether it answers. What a program in a container says is no word of the client's. */
    @Test
    void whatOnlyTheClientCanHaveSaidNeedsNoProof() throws Exception {
        DockerCli cli = client("case \"$1\" in version) echo Engine containerd; exit 0;; esac\n"
                + "echo 'Cannot connect to the Docker daemon at unix:///x. Is the docker daemon running?' >&2; exit 1");
        assertThatThrownBy(() -> cli.run("container", "inspect", "--", "x"))
                .isInstanceOf(DockerUnavailableException.class)
                .hasMessageContaining("does not answer");
        assertThat(cli.run("exec", "x", "app").exitCode()).hasValue(1);
    }

    @Test
    void aListThatSomebodyHasDisturbedIsAskedForAgain() throws Exception {
        DockerCli cli =
                client("if [ -e again ]; then echo sha256:1; else touch again; echo 'Error: reading image \"1\": image"
                        + " not known' >&2; exit 125; fi");
        Inspector inspector = new Inspector(cli.in(directory));
        assertThat(inspector.labelled(Inspector.ObjectKind.IMAGE, "a=b")).containsExactly("sha256:1");
    }

    @Test
    void anImageThatPodmanDoesNotFindWhileAnotherIsRemovedIsAskedForAgain() throws Exception {
        DockerCli cli = client(
                "podman",
                "if [ -e again ]; then echo '[{\"Id\":\"1\"}]'; else touch again; echo '[]'; echo 'Error: inspecting object:"
                        + " a: image not known' >&2; exit 125; fi");
        Inspector inspector = new Inspector(cli.in(directory));
        assertThat(inspector.find(Inspector.ObjectKind.IMAGE, "a")).isPresent();
    }
}
