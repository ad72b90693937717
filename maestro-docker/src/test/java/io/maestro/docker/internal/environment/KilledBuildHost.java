package io.maestro.docker.internal.environment;

import io.maestro.docker.Containers;
import io.maestro.docker.DockerEnvironments;
import io.maestro.docker.DockerHost;
import io.maestro.docker.ImageBuild;
import io.maestro.environment.EnvironmentProject;
import io.maestro.environment.Phase;
import io.maestro.environment.Workplace;
import io.maestro.secrets.SecretRedactor;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A host that is killed while it builds an image. */
final class KilledBuildHost {
    private KilledBuildHost() {}

    /** @param arguments the project directory, the base image, and {@code agent} or {@code program} */
    public static void main(String[] arguments) {
        Path directory = Path.of(arguments[0]);
        Path workspace = directory.resolve("coder-001");
        if (arguments[2].equals("program")) {
            Containers containers = Containers.on(DockerHost.local())
                    .projectDirectory(directory)
                    .open();
            containers.build(ImageBuild.builder(workspace).build());
        } else {
            DockerProject project = (DockerProject) new DockerEnvironments()
                    .open(new EnvironmentProject(
                            directory,
                            "s",
                            directory.resolve("mirror.git"),
                            Map.of("base", arguments[1], "allowed_images", List.of("maestro-test/*")),
                            Map.of(),
                            SecretRedactor.builder().build()));
            project.endLeftovers(Map.of());
            StoryEnvironment environment =
                    (StoryEnvironment) project.open(new Workplace("coder-001", "7", 1, workspace, List.of()));
            environment.enter(Phase.CODING);
            environment
                    .images()
                    .builds()
                    .build(
                            environment.engine(),
                            environment.place(),
                            new BuildPlan("Dockerfile", ".", Map.of()),
                            "a:b",
                            environment.images().builds().limit());
        }
    }
}
