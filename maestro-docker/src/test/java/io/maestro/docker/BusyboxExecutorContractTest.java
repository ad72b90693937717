package io.maestro.docker;

import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestContainer;
import io.maestro.testing.Full;
import java.time.Duration;
import org.junit.jupiter.api.Nested;

/** The contract on docker with busybox alone, each command by a client of its own. */
@Full("DockerExecutorContractTest runs the same on Debian, and most other tests run their commands in busybox")
@RequiresEngine
class BusyboxExecutorContractTest {
    @Nested
    class BusyboxSlow extends DockerContract {
        BusyboxSlow() {
            super("docker", TestContainer.BUSYBOX, false);
        }

        /** The start of the client is within it. */
        @Override
        protected Duration shortLimit() {
            return Duration.ofSeconds(6);
        }
    }
}
