package io.maestro.docker;

import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestImages;
import io.maestro.environment.EnvironmentProject;
import io.maestro.environment.Environments;
import io.maestro.secrets.SecretRedactor;
import io.maestro.testing.Full;
import io.maestro.testkit.contract.EnvironmentContract;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Nested;

@Full("a container for each test; EnginesTest and StoryEnvironmentTest find the same faults")
class DockerEnvironmentContractTest {
    /** Environments in containers of one engine. */
    abstract static class OnAnEngine extends EnvironmentContract {
        private final String engine;
        private final TestImages images;

        OnAnEngine(String engine, TestImages images) {
            this.engine = engine;
            this.images = images;
        }

        @Override
        protected Environments open(Path directory) {
            return DockerEnvironments.builder()
                    .build()
                    .open(new EnvironmentProject(
                            directory,
                            UUID.randomUUID().toString(),
                            directory.resolve("mirror.git"),
                            Map.of(
                                    "engine",
                                    engine,
                                    "base",
                                    images.base(),
                                    "workspace",
                                    "bind",
                                    "allowed_images",
                                    List.of("maestro-test/*", "localhost/maestro-test/*")),
                            Map.of(),
                            SecretRedactor.withDefaults()));
        }
    }

    @Nested
    @RequiresEngine
    class Docker extends OnAnEngine {
        Docker() {
            super("docker", TestImages.ofDocker());
        }
    }

    @Nested
    @RequiresEngine("podman")
    class Podman extends OnAnEngine {
        Podman() {
            super("podman", TestImages.ofPodman());
        }
    }
}
