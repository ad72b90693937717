package io.maestro.docker.internal;

import io.maestro.docker.BuildOptions;
import io.maestro.docker.ContainerLimits;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What a build from files that are not trusted gets. Without one a build is the host program's own.
 *
 * @param images the id of an image that it names; throws {@link IllegalArgumentException} for one that it may not use, with a
 *     message that goes on after the Dockerfile's name
 * @param limits what its commands may take together
 * @param disk how many bytes it may write
 * @param reserve how many bytes stay free on the engine's disk
 * @param limiter the id of an image with a shell, for a container of Maestro's that has the limits
 * @param options whether limits are required, and which control group has them instead of that container
 * @param cache whose caches its mounts are, of those of the instance; nobody else's build reads them or writes to them
 * @param layers whose builds it takes results of commands from; a word of letters, digits and '._-'
 */
public record BuildConfinement(
        Function<String, String> images,
        ContainerLimits limits,
        long disk,
        long reserve,
        Supplier<String> limiter,
        BuildOptions options,
        String cache,
        String layers) {}
