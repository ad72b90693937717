package io.maestro.docker;

import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestContainer;
import org.junit.jupiter.api.Nested;

/** The contract on docker: two shells, both paths. */
@RequiresEngine
class DockerExecutorContractTest {
    @Nested
    class DebianFast extends DockerContract {
        DebianFast() {
            super("docker", TestContainer.DEBIAN, true);
        }
    }

    @Nested
    class DebianSlow extends DockerContract {
        DebianSlow() {
            super("docker", TestContainer.DEBIAN, false);
        }
    }

    @Nested
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
