package io.maestro.docker.internal.tools;

import io.maestro.tools.ToolFactory;
import java.time.Duration;
import java.util.List;

/** The tools for containers. */
public final class ContainerTools {
    private ContainerTools() {}

    /**
     * All of them.
     *
     * @param buildTime how long a build may take
     * @param project the project's name, for names of images
     */
    public static List<ToolFactory> all(Duration buildTime, String project) {
        return List.of(
                new ContainerBuildTool(buildTime, project),
                new ContainerTestTool(),
                new ContainerListTool(),
                new ContainerSwitchTool(),
                new ContainerUpdateTool());
    }
}
