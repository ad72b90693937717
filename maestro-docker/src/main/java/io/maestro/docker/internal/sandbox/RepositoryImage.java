package io.maestro.docker.internal.sandbox;

import io.maestro.docker.BuildOptions;
import io.maestro.docker.ContainerRules;
import io.maestro.docker.ImageBuild;
import io.maestro.docker.internal.BuildConfinement;
import io.maestro.docker.internal.BuildDirectory;
import io.maestro.docker.internal.Container;
import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.Instance;
import io.maestro.docker.internal.Labels;
import io.maestro.docker.internal.environment.WorkspacePaths;
import io.maestro.docker.internal.sandbox.devcontainer.DevContainer.DockerfileBuild;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;

/**
 * The image of a repository of strangers that brings a Dockerfile, built as confined as an agent's: from what is in the repository and
 * from images that strangers may use, within limits, and without caches of others. Immutable.
 */
final class RepositoryImage {
    private static final String REPOSITORY = "maestro-tried";
    private static final long DISK = 10L << 30;
    private static final long RESERVE = 1L << 30;

    private final Sandboxes sandboxes;
    private final ContainerRules rules;
    private final Engine engine;
    private final String limiter;
    private final boolean network;

    /**
     * Nothing is built yet.
     *
     * @param limiter the id of the image that has the limits, which is trusted
     * @param network whether its commands have a network
     */
    RepositoryImage(Sandboxes sandboxes, String limiter, boolean network) {
        this.sandboxes = sandboxes;
        this.rules = sandboxes.rules();
        this.engine = sandboxes.engine();
        this.limiter = limiter;
        this.network = network;
    }

    private static String name(Engine engine, String owner) {
        return REPOSITORY + ":" + engine.instance().id() + "-" + HexFormat.of().toHexDigits(owner.hashCode()) + "-";
    }

    /** The names of all that were built for an owner. */
    static List<String> names(Engine engine, String owner) {
        String begin = name(engine, owner);
        return engine.imageNames(REPOSITORY).stream()
                .filter(name -> name.replaceFirst("^localhost/", "").startsWith(begin))
                .toList();
    }

    /**
     * Builds it; the next one of the same repository takes its name.
     *
     * @param clone a container that has the repository, and is not trusted
     * @param at where
     * @return its id
     * @throws IllegalArgumentException when something in it may not be, or nothing is built for the owner
     * @throws io.maestro.docker.DockerException when it cannot be copied or built
     */
    String build(String url, Container clone, String at, DockerfileBuild build) {
        if (sandboxes.reach().isAgents()) {
            throw new IllegalArgumentException("nothing of strangers' is built here; build it by container_build");
        }
        return BuildDirectory.use(engine.cli().directory(), own -> {
            new ContainerFiles(engine, clone).copyOutAs(at, own, "repository", false);
            Path root = own.resolve("repository");
            ImageBuild.Builder order = ImageBuild.builder(root)
                    .dockerfile(root.resolve(WorkspacePaths.file(root, build.dockerfile())))
                    .context(root.resolve(WorkspacePaths.directory(root, build.context())))
                    .tag(name(engine, sandboxes.owner()) + HexFormat.of().toHexDigits(url.hashCode()))
                    .label(Labels.STRANGE, "yes")
                    .network(network);
            build.args().forEach(order::argument);
            build.target().ifPresent(order::target);
            try {
                return engine.build(order.build(), confinement()).id();
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("it " + e.getMessage(), e);
            }
        });
    }

    private BuildConfinement confinement() {
        return new BuildConfinement(
                this::usable,
                rules.limits(),
                DISK,
                RESERVE,
                () -> limiter,
                BuildOptions.defaults(),
                Instance.newId(),
                "-strangers");
    }

    private String usable(String name) {
        try {
            return sandboxes.imageOfStrangers(name);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("names an image that it does not get: " + e.getMessage(), e);
        }
    }
}
