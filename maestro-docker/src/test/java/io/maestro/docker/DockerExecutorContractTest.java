package io.maestro.docker;

import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestContainer;
import io.maestro.testing.Full;
import org.junit.jupiter.api.Nested;

/** The contract on docker with dash and the GNU tools. */
@RequiresEngine
class DockerExecutorContractTest {
    @Nested
    class DebianFast extends DockerContract {
        DebianFast() {
            super("docker", TestContainer.DEBIAN, true);
        }
    }

    @Nested
    @Full("each shell and each way is tried, but not each pair")
    class DebianSlow extends DockerContract {
        DebianSlow() {
            super("docker", TestContainer.DEBIAN, false);
        }
    }
}
