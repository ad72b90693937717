package io.maestro.docker.internal.environment;

import io.maestro.docker.DockerEnvironments;
import io.maestro.environment.EnvironmentProject;
import io.maestro.environment.Equipment;
import io.maestro.environment.Phase;
import io.maestro.environment.Workplace;
import io.maestro.secrets.SecretRedactor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A host that is killed after a program of its agent has kept something. */
final class StateHost {
    private StateHost() {}

    /** @param arguments the project directory, the base image and the user */
    public static void main(String[] arguments) throws Exception {
        Path directory = Path.of(arguments[0]);
        DockerProject project = (DockerProject) new DockerEnvironments()
                .open(new EnvironmentProject(
                        directory,
                        "s",
                        directory.resolve("mirror.git"),
                        Map.of("base", arguments[1], "user", arguments[2]),
                        Map.of(),
                        SecretRedactor.builder().build()));
        project.endLeftovers(Map.of());
        StoryEnvironment environment = (StoryEnvironment) project.open(new Workplace(
                "coder-001",
                "7",
                1,
                directory.resolve("coder-001"),
                List.of(),
                new Equipment(true, Optional.empty(), false)));
        environment.enter(Phase.CODING);
        Bench.sh(environment, "echo killed > /tmp/.claude/session");
        Files.writeString(
                directory.resolve("kept"),
                environment.now().orElseThrow().container().id());
        Thread.sleep(600_000);
    }
}
