package io.maestro.docker.internal;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.docker.DockerException;
import io.maestro.docker.internal.Inspector.ObjectKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A container of this instance.
 *
 * @param id its full id
 * @param name its unique name
 * @param imageId the full id of its image
 * @param agentId whom it is for
 * @param role what it is for
 * @param workingDirectory where its processes start, an absolute path
 * @param labels all its labels
 */
public record Container(
        String id,
        String name,
        String imageId,
        String agentId,
        String role,
        String workingDirectory,
        Map<String, String> labels) {
    /** Copies the labels. */
    public Container {
        labels = Map.copyOf(labels);
    }

    /** As an engine describes it. */
    static Container of(JsonNode object) {
        JsonNode labels = Inspector.labels(ObjectKind.CONTAINER, object);
        String name = object.path("Name").asText();
        String directory = object.path("Config").path("WorkingDir").asText();
        return new Container(
                object.path("Id").asText(),
                name.startsWith("/") ? name.substring(1) : name,
                Inspector.imageId(object.path("Image").asText()),
                labels.path(Labels.AGENT).asText(),
                labels.path(Labels.ROLE).asText(),
                directory.isEmpty() ? "/" : directory,
                Json.texts(labels));
    }

    /**
     * How a container is at a moment.
     *
     * @param running whether its process runs
     * @param inMemory absolute paths in it where file systems in memory are mounted
     */
    public record RunState(boolean running, List<String> inMemory) {
        /** Copies the list. */
        public RunState {
            inMemory = List.copyOf(inMemory);
        }
    }

    /**
     * How it is now.
     *
     * @throws DockerException when it is gone, or was not made by the engine's instance
     * @throws io.maestro.docker.DockerUnavailableException when the engine does not answer
     */
    public RunState state(Engine engine) {
        JsonNode object = engine.inspector()
                .find(ObjectKind.CONTAINER, id)
                .orElseThrow(() -> new DockerException("the container " + name + " is gone; make it again", null));
        Remover.requireOwner(
                ObjectKind.CONTAINER, name, object, engine.instance().id());
        List<String> inMemory = new ArrayList<>();
        object.path("HostConfig").path("Tmpfs").fieldNames().forEachRemaining(inMemory::add);
        for (JsonNode mount : object.path("Mounts")) {
            if (mount.path("Type").asText().equals("tmpfs")) {
                inMemory.add(mount.path("Destination").asText());
            }
        }
        return new RunState(object.path("State").path("Running").asBoolean(), inMemory);
    }

    /**
     * What a host has allowed a container beyond its description; no container of an agent has any but {@link #NONE}. Immutable.
     *
     * @param setUp whether root in it may do what package managers need
     * @param privileged whether it has all rights on its machine
     * @param hostNetwork whether it shares the network of its machine
     * @param gpu whether it has the machine's GPUs
     * @param ports ports on the loopback address of the engine's machine by those in it; 0 for one that the engine chooses
     * @param imageProgram whether it runs what its image says, in place of the description's command
     * @param alias its host name, and its name in a network that was created; null for the usual one
     * @param inside whether its network leads nowhere but to the containers in it
     */
    public record Grants(
            boolean setUp,
            boolean privileged,
            boolean hostNetwork,
            boolean gpu,
            Map<Integer, Integer> ports,
            boolean imageProgram,
            @Nullable String alias,
            boolean inside) {
        /** Nothing. */
        public static final Grants NONE = new Grants(false, false, false, false, Map.of(), false, null, false);

        /** Copies the ports. */
        public Grants {
            ports = Map.copyOf(ports);
        }
    }
}
