package io.maestro.agent;

import io.maestro.MaestroBuilder;
import io.maestro.docker.DockerEnvironments;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.testing.Campaign;
import io.maestro.testing.Full;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * The same table with containers, on as few paths as have all of its edges: on four of them that are drawn anew each time, or as
 * many as a number says.
 */
@Full("the paths are those of maestro-core; DockerStoryTest has a story in containers")
@RequiresEngine
class CoderPathsInContainersTest extends CoderPathsTest {
    static List<Scenario> scenarios() {
        List<Scenario> paths = Scenarios.fewest();
        Collections.shuffle(paths, new Random(Campaign.seed("paths in containers")));
        return paths.subList(0, Math.min(paths.size(), Campaign.number(4)));
    }

    /** The other paths have no edge that these lack. */
    @Override
    void walksOtherPaths(Scenario scenario) {}

    @Override
    protected void adjust(MaestroBuilder builder) {
        builder.environment(DockerEnvironments.builder()
                .image("maestro-test/debian:latest")
                .images(all -> all.base("maestro-test/debian:latest"))
                .build());
    }
}
