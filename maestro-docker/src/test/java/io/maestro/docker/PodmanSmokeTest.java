package io.maestro.docker;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestContainer;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.ExecResult.Ending;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Commands on podman, by both ways; the whole contract is {@link PodmanExecutorContractTest}'s. */
@RequiresEngine("podman")
class PodmanSmokeTest {
    @Test
    void commandsRunAndEnd() {
        DockerHost host = DockerHost.builder().program("podman").build();
        try (TestContainer container = new TestContainer("podman", TestContainer.BUSYBOX)) {
            for (boolean fastPath : new boolean[] {true, false}) {
                try (DockerExecutor executor = DockerExecutor.builder(host, container.name())
                        .fastPath(fastPath)
                        .build()) {
                    ExecResult result = executor.run(ExecRequest.shell("cat; echo err >&2; exit 3")
                            .stdin("in".getBytes())
                            .build());
                    assertThat(result.exitCode()).hasValue(3);
                    assertThat(result.stdout().text()).isEqualTo("in");
                    assertThat(result.stderr().text()).isEqualTo("err\n");

                    ExecResult late = executor.run(ExecRequest.shell("sleep 77 & echo out; sleep 77")
                            .timeLimit(Duration.ofSeconds(6))
                            .build());
                    assertThat(late.ending()).isEqualTo(Ending.TIMED_OUT);
                    assertThat(late.stdout().text()).isEqualTo("out\n");
                    assertThat(container.sh("cat /proc/[0-9]*/cmdline | tr '\\0' ' '"))
                            .doesNotContain("sleep 77 ");
                }
            }
        }
    }
}
