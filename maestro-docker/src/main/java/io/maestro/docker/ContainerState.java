package io.maestro.docker;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What is known of a container that {@link Containers#create} has made.
 *
 * @param name by which it is found
 * @param purpose the name of a {@link Purpose}; empty for none
 * @param id the engine's id
 * @param image the id of its image
 * @param running whether it runs
 * @param exitCode what its own process ended with; empty while it runs
 * @param created when it was made, as the engine says it
 * @param network its network by the name that was given to it
 * @param ports where its ports are published: address and port by the port in the container
 * @param variables the names of the variables that its commands get
 * @param user as whom commands run
 * @param services what runs beside it, each with its state, for example {@code db running}
 * @param persistent whether it outlives its {@link Containers}
 */
public record ContainerState(
        String name,
        Optional<String> purpose,
        String id,
        String image,
        boolean running,
        Optional<Integer> exitCode,
        String created,
        String network,
        Map<Integer, String> ports,
        Set<String> variables,
        String user,
        List<String> services,
        boolean persistent) {}
