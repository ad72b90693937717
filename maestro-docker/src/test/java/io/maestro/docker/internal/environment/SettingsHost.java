package io.maestro.docker.internal.environment;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.docker.DockerEnvironments;
import io.maestro.environment.EnvironmentProject;
import io.maestro.environment.Phase;
import io.maestro.environment.Workplace;
import io.maestro.error.MaestroException;
import io.maestro.secrets.SecretRedactor;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** A host in a JVM of its own, for what is set by variables of its environment: says on which engine an agent works. */
final class SettingsHost {
    private SettingsHost() {}

    public static void main(String[] arguments) throws Exception {
        Path directory = Path.of(arguments[0]);
        Map<String, Object> settings = new ObjectMapper().readValue(arguments[1], new TypeReference<>() {});
        EnvironmentProject project = new EnvironmentProject(
                directory,
                UUID.randomUUID().toString(),
                directory.resolve("mirror.git"),
                settings,
                Map.of(),
                SecretRedactor.builder().build());
        try (DockerProject open = (DockerProject) new DockerEnvironments().open(project)) {
            open.endLeftovers(Map.of());
            Workplace place = new Workplace("coder-001", "7", 1, directory.resolve("coder-001"), List.of());
            try (StoryEnvironment environment = Bench.environment(open, place)) {
                environment.enter(Phase.PLANNING);
                System.out.println("works with "
                        + environment.engine().cli().host().program() + " on "
                        + environment.engine().cli().host().name() + " in "
                        + Bench.sh(environment, "echo $ENGINE_MARK $container"));
            }
        } catch (MaestroException e) {
            System.out.println("refused: " + e.getMessage());
        }
    }
}
