package io.maestro.docker.internal.environment;

import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestImages;
import io.maestro.testing.Full;

/** The same on podman. */
@Full("EquipmentTest tries the same on docker")
@RequiresEngine("podman")
class PodmanEquipmentTest extends EquipmentContract {
    @Override
    TestImages images() {
        return TestImages.ofPodman();
    }
}
