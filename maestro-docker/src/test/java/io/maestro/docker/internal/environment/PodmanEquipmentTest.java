package io.maestro.docker.internal.environment;

import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestImages;
import org.junit.jupiter.api.Tag;

/** The same on podman. */
@Tag("slow")
@RequiresEngine("podman")
class PodmanEquipmentTest extends EquipmentContract {
    @Override
    TestImages images() {
        return TestImages.ofPodman();
    }
}
