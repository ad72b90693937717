package io.maestro.docker;

import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestContainer;
import org.junit.jupiter.api.Nested;

/** The contract on docker with dash and the GNU tools, over the channel. BusyboxExecutorContractTest has the other shell and way. */
@RequiresEngine
class DockerExecutorContractTest {
    @Nested
    class DebianFast extends DockerContract {
        DebianFast() {
            super("docker", TestContainer.DEBIAN, true);
        }
    }
}
