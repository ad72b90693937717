package io.maestro.docker;

import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestContainer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The contract on podman. */
@Tag("slow")
@RequiresEngine("podman")
class PodmanExecutorContractTest {
    @Nested
    class DebianFast extends DockerContract {
        DebianFast() {
            super("podman", TestContainer.DEBIAN, true);
        }
    }

    @Nested
    class BusyboxSlow extends DockerContract {
        BusyboxSlow() {
            super("podman", TestContainer.BUSYBOX, false);
        }
    }
}
