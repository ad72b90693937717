package io.maestro.docker.internal.compose;

import io.maestro.docker.internal.KnownSecrets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Where a stack has its images from. */
public interface StackImages {
    /** What nobody may read from the engine. */
    KnownSecrets secrets();

    /**
     * The id of an image that a service may run.
     *
     * @throws IllegalArgumentException when it may not; the message is for a model
     */
    String find(String name);

    /**
     * Builds an image of the stack's.
     *
     * @param labels what it carries beside those of its instance
     * @throws IllegalArgumentException when it asks for what it does not get; the message is for a model
     * @throws io.maestro.docker.DockerException when the build fails
     */
    void build(Build build, Map<String, String> labels);

    /**
     * What an image is built from: copies, out of the agents' reach.
     *
     * @param service of which service
     * @param tag the name of the image
     * @param root holds the others
     * @param context the directory that is built from
     * @param dockerfile the Dockerfile
     * @param arguments values of its ARGs
     * @param target the stage at which the build ends
     */
    record Build(
            String service,
            String tag,
            Path root,
            Path context,
            Path dockerfile,
            Map<String, String> arguments,
            Optional<String> target) {}
}
