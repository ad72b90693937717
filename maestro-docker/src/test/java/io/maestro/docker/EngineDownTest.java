package io.maestro.docker;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.testing.RequiresEngine;
import io.maestro.error.RetriableException;
import io.maestro.exec.ExecException;
import io.maestro.exec.ExecRequest;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a caller is told when there is no engine, no container, or no CLI. */
@RequiresEngine
class EngineDownTest {
    private static final ExecRequest TRUE = ExecRequest.command("true").build();

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anEngineThatDoesNotAnswerMayLater(boolean fastPath) {
        try (DockerExecutor executor = DockerExecutor.builder(
                        DockerHost.builder().url("unix:///no/such/docker.sock").build(), "some-container")
                .fastPath(fastPath)
                .build()) {
            assertThatThrownBy(() -> executor.run(TRUE))
                    .isInstanceOf(DockerUnavailableException.class)
                    .isInstanceOf(RetriableException.class)
                    .hasMessageContaining("/no/such/docker.sock");
            assertThatThrownBy(() -> executor.start(TRUE)).isInstanceOf(DockerUnavailableException.class);
            assertThatThrownBy(executor::endLeftovers).isInstanceOf(DockerUnavailableException.class);
        }
    }

    @Test
    void aContainerThatDoesNotExistIsNamed() {
        String name = "no-such-" + UUID.randomUUID();
        try (DockerExecutor executor = DockerExecutor.builder(name).build()) {
            assertThatThrownBy(() -> executor.run(TRUE))
                    .isInstanceOf(ExecException.class)
                    .hasMessageContaining(name)
                    .hasMessageContaining("does not exist");
        }
    }

    @Test
    void aCliThatIsNotInstalledIsNamed() {
        try (DockerExecutor executor = DockerExecutor.builder(
                        DockerHost.builder().program("no-such-cli-4711").build(), "some-container")
                .build()) {
            assertThatThrownBy(() -> executor.run(TRUE))
                    .isInstanceOf(ExecException.class)
                    .hasMessageContaining("no-such-cli-4711");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--privileged", "-it", "a b", "../x", "a;b"})
    void whatIsNoNameOfAContainerIsRefused(String name) {
        assertThatThrownBy(() -> DockerExecutor.builder(name).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + name + "'");
    }
}
