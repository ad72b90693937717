package io.maestro.docker;

import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestContainer;
import io.maestro.testing.Full;
import org.junit.jupiter.api.Nested;

/** The contract on podman. */
@Full("PodmanSmokeTest runs commands on podman; the shells and ways are those of docker")
@RequiresEngine("podman")
class PodmanExecutorContractTest {
    @Nested
    class DebianFastOnPodman extends DockerContract {
        DebianFastOnPodman() {
            super("podman", TestContainer.DEBIAN, true);
        }
    }

    /** An ordinary user's, whose containers have no network here. */
    @Nested
    @RequiresEngine("podman-rootless")
    class Rootless extends DockerContract {
        Rootless() {
            super("podman-rootless", TestContainer.BUSYBOX, true, "--network", "none");
        }
    }
}
