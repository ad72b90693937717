package io.maestro.docker;

import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestContainer;
import io.maestro.testing.Full;
import org.junit.jupiter.api.Nested;

/** The contract on docker with busybox alone. */
@RequiresEngine
class BusyboxExecutorContractTest {
    @Nested
    @Full("each shell and each way is tried, but not each pair")
    class BusyboxFast extends DockerContract {
        BusyboxFast() {
            super("docker", TestContainer.BUSYBOX, true);
        }
    }

    @Nested
    class BusyboxSlow extends DockerContract {
        BusyboxSlow() {
            super("docker", TestContainer.BUSYBOX, false);
        }
    }
}
