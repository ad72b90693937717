package io.maestro.docker.internal.environment;

import io.maestro.docker.testing.TestImages;
import io.maestro.environment.Phase;
import java.nio.file.Path;
import java.util.Map;

/** A host in the network of a fresh engine, where an agent asks a server of this host for something. */
final class FreshEngineHost {
    private FreshEngineHost() {}

    /** @param arguments a directory and the base image; the engine is that of {@code DOCKER_HOST} */
    public static void main(String[] arguments) throws Exception {
        Bench bench = new Bench(Path.of(arguments[0]), TestImages.ofDocker(), arguments[1]);
        DockerProject project = bench.open(Map.of());
        try (StoryEnvironment environment =
                EquipmentContract.entered(project, bench.place("7", 1, EquipmentContract.REACHES), Phase.CODING)) {
            EquipmentContract.requireAnswer(environment);
        } finally {
            bench.close();
        }
        System.out.println("answered");
    }
}
