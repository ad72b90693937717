package io.maestro.docker;

import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestContainer;
import org.junit.jupiter.api.Nested;

/** The contract on docker with busybox alone, each command by a client of its own. */
@RequiresEngine
class BusyboxExecutorContractTest {
    @Nested
    class BusyboxSlow extends DockerContract {
        BusyboxSlow() {
            super("docker", TestContainer.BUSYBOX, false);
        }
    }
}
