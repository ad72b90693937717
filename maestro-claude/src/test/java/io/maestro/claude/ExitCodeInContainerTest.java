package io.maestro.claude;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.claude.testing.Fact;
import io.maestro.claude.testing.RealClaude;
import io.maestro.claude.testing.RequiresClaude;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestContainer;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.testing.Full;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The row of the table of exit codes that needs a file system that nobody can write. */
@RequiresClaude
@RequiresEngine
@Full("a fact about the CLI, in a container")
class ExitCodeInContainerTest {
    @TempDir
    Path directory;

    @Test
    @Fact("exit: nothing can be written")
    void withNothingToWriteToThereIsNoResultWhateverTheExitCode() {
        List<String> command = new ArrayList<>(List.of("docker", "run", "--rm", "--label", "io.maestro.test=true"));
        command.addAll(List.of("--name", "maestro-test-" + UUID.randomUUID()));
        command.addAll(List.of("--read-only", "--network", "none", "--user", "1000", "--env", "HOME=/home"));
        RealClaude.environment("http://127.0.0.1:9").forEach((name, value) -> {
            command.add("--env");
            command.add(name + "=" + value);
        });
        command.addAll(List.of("--volume", RealClaude.program() + ":/opt/claude:ro", TestContainer.DEBIAN));
        command.addAll(List.of("/opt/claude", "-p", "--output-format", "stream-json", "--verbose", "go"));

        ExecResult result = LocalExecutor.builder(directory)
                .build()
                .run(ExecRequest.command(command)
                        .timeLimit(Duration.ofMinutes(2))
                        .build());

        assertThat(result.stdout().text()).doesNotContain("\"result\"");
        if (RealClaude.isOldest()) {
            assertThat(result.exitCode()).hasValue(0);
            assertThat(result.stdout().text()).isEmpty();
            assertThat(result.stderr().text()).isEmpty();
        } else {
            assertThat(result.exitCode()).hasValue(1);
        }
    }
}
