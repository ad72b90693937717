package io.maestro.agent;

import io.maestro.docker.testing.RequiresEngine;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The paths on which a container is changed with the phase, used again, or ended while a command runs in it. */
@RequiresEngine
class SomeCoderPathsInContainersTest {
    private final CoderPathsInContainersTest paths = new CoderPathsInContainersTest();

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"the plan is rejected", "tests fail first"})
    void walks(String name) {
        paths.directory = directory;
        paths.walks(Scenarios.all().stream()
                .filter(scenario -> scenario.name.equals(name))
                .findFirst()
                .orElseThrow());
    }

    @Test
    void cancelledWhileTheTestsRun() throws Exception {
        paths.directory = directory;
        paths.cancelledWhileTheTestsRun();
    }
}
