package io.maestro.agent;

import io.maestro.MaestroBuilder;
import io.maestro.docker.DockerEnvironments;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.testing.Full;
import java.util.List;

/** Every edge of the same table with containers, on as few paths as have all of them. */
@Full("the paths are those of maestro-core; SomeCoderPathsInContainersTest walks some")
@RequiresEngine
class CoderPathsInContainersTest extends CoderPathsTest {
    static List<Scenario> scenarios() {
        return Scenarios.fewest();
    }

    @Override
    protected void adjust(MaestroBuilder builder) {
        builder.environment(DockerEnvironments.builder()
                .image("maestro-test/debian:latest")
                .base("maestro-test/debian:latest")
                .build());
    }
}
