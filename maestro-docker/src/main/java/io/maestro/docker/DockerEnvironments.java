package io.maestro.docker;

import io.maestro.config.internal.Config;
import io.maestro.docker.internal.ContainerConfig;
import io.maestro.docker.internal.environment.DockerProject;
import io.maestro.docker.internal.environment.Settings;
import io.maestro.docker.internal.tools.AgentContainersTool;
import io.maestro.docker.internal.tools.ContainerTools;
import io.maestro.environment.EnvironmentFactory;
import io.maestro.environment.EnvironmentProject;
import io.maestro.environment.Environments;
import io.maestro.tools.ToolFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Lets agents work in containers: one for each attempt at a story, made anew with less or more rights as the phase needs it.
 * Found by name as {@code docker}; where settings in code are wanted, made by {@link #builder()} and given to the builder of
 * {@code Maestro}. Settings in code win over the object {@code container} of the configuration. Immutable.
 *
 * <p>While planning, the workspace is read-only and there is no network; while coding, it can be written, and the commands see
 * the variables that the host passes on. In no container are there the engine's socket, the host's network, new privileges or
 * capabilities. What is made carries the project's label, and only what carries it is ever removed.
 */
public final class DockerEnvironments implements EnvironmentFactory {
    private final EngineOptions engines;
    private final ImageOptions images;
    private final BuildOptions builds;
    private final ContainerOptions container;
    private final ComposeOptions compose;
    private final @Nullable ContainerRules containers;

    /** For {@link java.util.ServiceLoader}: everything is as the configuration says. */
    public DockerEnvironments() {
        this(builder());
    }

    private DockerEnvironments(Builder builder) {
        this.engines = builder.engines;
        this.images = builder.images;
        this.builds = builder.builds;
        this.container = builder.container;
        this.compose = builder.compose;
        this.containers = builder.containers;
    }

    /**
     * Starts to describe environments.
     *
     * @return a builder that leaves all to the configuration
     */
    public static Builder builder() {
        return new Builder();
    }

    /** {@code docker}, with podman too. */
    @Override
    public String id() {
        return "docker";
    }

    @Override
    public Environments open(EnvironmentProject project) {
        Settings settings = settings(project);
        String name = String.valueOf(project.directory().getFileName());
        List<ToolFactory> tools =
                new ArrayList<>(ContainerTools.all(settings.builds().timeLimit(), name));
        if (containers != null) {
            tools.add(new AgentContainersTool(containers, project.variables(), OpenExecutors::views));
        }
        return DockerProject.open(project, settings, tools);
    }

    /** What code says, else the configuration, else the default. */
    Settings settings(EnvironmentProject project) {
        Config file = ContainerConfig.of(project.settings(), project.redactor());
        return new Settings(
                engines.under(file),
                images.under(file),
                builds.under(file),
                container.under(file),
                compose.under(file));
    }

    /**
     * Collects the settings of {@link DockerEnvironments}: those of the first hour here, all of them in groups. Not safe for use by
     * several threads.
     */
    public static final class Builder {
        private EngineOptions engines = EngineOptions.defaults();
        private ImageOptions images = ImageOptions.defaults();
        private BuildOptions builds = BuildOptions.defaults();
        private ContainerOptions container = ContainerOptions.defaults();
        private ComposeOptions compose = ComposeOptions.defaults();
        private @Nullable ContainerRules containers;

        private Builder() {}

        /**
         * Adds an engine that containers may run on; without any, it is what the configuration says, or else the one of this
         * machine.
         *
         * @param engine the engine
         * @return this
         * @throws IllegalArgumentException when another one has its name
         */
        public Builder host(DockerHost engine) {
            return engines(all -> all.host(engine));
        }

        /**
         * Sets the image that agents work in, unless a merged story has chosen another one.
         *
         * @param name a name, an id or a digest; pulled where an engine does not have it, and an error when that fails
         * @return this
         * @throws IllegalArgumentException when it is none
         */
        public Builder image(String name) {
            return images(all -> all.image(name));
        }

        /**
         * Sets from what the image is built where none is set.
         *
         * @param path of a Dockerfile in the repository
         * @return this
         */
        public Builder dockerfile(String path) {
            return images(all -> all.dockerfile(path));
        }

        /**
         * Sets how much of the machine each container of an attempt may take.
         *
         * @param most the limits, in each phase; by default {@link ContainerLimits#CODING}, or fewer as the phase
         *     needs it
         * @return this
         */
        public Builder limits(ContainerLimits most) {
            return container(all -> all.limits(most));
        }

        /**
         * Changes the settings for engines, such as how agents are spread over them.
         *
         * @param change gets what is set so far
         * @return this
         */
        public Builder engines(UnaryOperator<EngineOptions> change) {
            engines = change.apply(engines);
            return this;
        }

        /**
         * Changes the settings for images, such as which agents may use.
         *
         * @param change gets what is set so far
         * @return this
         */
        public Builder images(UnaryOperator<ImageOptions> change) {
            images = change.apply(images);
            return this;
        }

        /**
         * Changes the settings for builds of images, such as their limits.
         *
         * @param change gets what is set so far
         * @return this
         */
        public Builder builds(UnaryOperator<BuildOptions> change) {
            builds = change.apply(builds);
            return this;
        }

        /**
         * Changes the settings for agents' containers, such as their networks and caches.
         *
         * @param change gets what is set so far
         * @return this
         */
        public Builder container(UnaryOperator<ContainerOptions> change) {
            container = change.apply(container);
            return this;
        }

        /**
         * Changes the settings for services from compose files.
         *
         * @param change gets what is set so far
         * @return this
         */
        public Builder compose(UnaryOperator<ComposeOptions> change) {
            compose = change.apply(compose);
            return this;
        }

        /**
         * Lets coders make containers beside their own, with the tool {@code containers}: a clean machine, another language, a
         * repository of others. They are on the coder's engine, in a network of their own beside that of its commands; where
         * coding has no open network of its own they have none. They have no more of the host's variables and of the images than
         * its commands, but for the images that the rules name; they mount the workspace read-only, count with what the attempt
         * holds on disks, and go with it. Whatever the rules allow, none is privileged, in the host's network, or kept.
         *
         * @param rules what may be asked for; by default the tool is not there
         * @return this
         */
        public Builder containers(ContainerRules rules) {
            this.containers = Objects.requireNonNull(rules, "rules");
            return this;
        }

        /**
         * Makes the factory. Whether the settings fit together, and those of the file, is seen when it is used.
         *
         * @return the factory
         */
        public DockerEnvironments build() {
            return new DockerEnvironments(this);
        }
    }
}
