package io.maestro.agent;

import io.maestro.MaestroBuilder;
import io.maestro.docker.DockerEnvironments;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.testing.Full;

/** The same paths with containers. */
@Full("the paths are those of maestro-core; SomeCoderPathsInContainersTest walks some")
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
