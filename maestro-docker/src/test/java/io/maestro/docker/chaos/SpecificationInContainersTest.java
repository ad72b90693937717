package io.maestro.docker.chaos;

import io.maestro.MaestroBuilder;
import io.maestro.chaos.SpecificationTest;
import io.maestro.docker.DockerEnvironments;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.testing.Full;
import org.junit.jupiter.api.Timeout;

/** The same specification with containers. */
@Full("maestro-core tries the order of stories, and DockerStoryTest stories in containers")
@RequiresEngine
@Timeout(900)
class SpecificationInContainersTest extends SpecificationTest {
    @Override
    protected void adjust(MaestroBuilder builder) {
        builder.environment(DockerEnvironments.builder()
                .image("maestro-test/debian:latest")
                .images(all -> all.base("maestro-test/debian:latest"))
                .build());
    }
}
