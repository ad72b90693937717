package io.maestro.agent;

import io.maestro.MaestroBuilder;
import io.maestro.docker.DockerEnvironments;
import io.maestro.docker.testing.RequiresEngine;
import org.junit.jupiter.api.Tag;

/** The same paths with containers. */
@Tag("slow")
@RequiresEngine
class CoderPathsInContainersTest extends CoderPathsTest {
    @Override
    protected void adjust(MaestroBuilder builder) {
        builder.environment(DockerEnvironments.builder()
                .image("maestro-test/debian:latest")
                .base("maestro-test/debian:latest")
                .build());
    }
}
