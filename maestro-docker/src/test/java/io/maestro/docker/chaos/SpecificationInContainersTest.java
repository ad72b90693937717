package io.maestro.docker.chaos;

import io.maestro.MaestroBuilder;
import io.maestro.chaos.SpecificationTest;
import io.maestro.docker.DockerEnvironments;
import io.maestro.docker.testing.RequiresEngine;

/** The same specification with containers. */
@RequiresEngine
class SpecificationInContainersTest extends SpecificationTest {
    @Override
    protected void adjust(MaestroBuilder builder) {
        builder.environment(DockerEnvironments.builder()
                .image("maestro-test/debian:latest")
                .base("maestro-test/debian:latest")
                .build());
    }
}
