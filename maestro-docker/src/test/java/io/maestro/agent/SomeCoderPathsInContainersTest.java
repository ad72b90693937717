package io.maestro.agent;

import io.maestro.docker.testing.RequiresEngine;
import io.maestro.testing.Full;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Paths on which the container of a phase is used again, and is ended while a command runs in it. */
@RequiresEngine
@Full("an image with git is installed first; CoderPathsTest has the paths, DockerStoryTest a story in containers")
class SomeCoderPathsInContainersTest {
    private final CoderPathsInContainersTest paths = new CoderPathsInContainersTest();

    @TempDir
    Path directory;

    @Test
    void testsFailFirst() {
        paths.directory = directory;
        paths.walks(Scenarios.all().stream()
                .filter(scenario -> scenario.name.equals("tests fail first"))
                .findFirst()
                .orElseThrow());
    }

    @Test
    void cancelledWhileTheTestsRun() throws Exception {
        paths.directory = directory;
        paths.cancelledWhileTheTestsRun();
    }
}
