package io.maestro.docker;

import io.maestro.docker.internal.environment.DockerProject;
import io.maestro.docker.internal.environment.Settings;
import io.maestro.docker.internal.tools.AgentContainersTool;
import io.maestro.docker.internal.tools.ContainerTools;
import io.maestro.environment.EnvironmentFactory;
import io.maestro.environment.EnvironmentProject;
import io.maestro.environment.Environments;
import io.maestro.environment.Phase;
import io.maestro.tools.ToolFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
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
    private final Map<String, Object> code;
    private final List<DockerHost> hosts;
    private final @Nullable Placement placement;
    private final @Nullable ContainerRules containers;

    /** For {@link java.util.ServiceLoader}: everything is as the configuration says. */
    public DockerEnvironments() {
        this(builder());
    }

    private DockerEnvironments(Builder builder) {
        this.code = Settings.copy(builder.code);
        this.hosts = List.copyOf(builder.hosts);
        this.placement = builder.placement;
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
        Settings settings = Settings.of(project.settings(), code, hosts);
        String name = String.valueOf(project.directory().getFileName());
        List<ToolFactory> tools = new ArrayList<>(ContainerTools.all(settings.buildTime(), name));
        if (containers != null) {
            tools.add(new AgentContainersTool(containers, project.variables(), OpenExecutors::views));
        }
        return DockerProject.open(project, settings, Optional.ofNullable(placement), tools);
    }

    /** Collects the settings of {@link DockerEnvironments}. Not safe for use by several threads. */
    public static final class Builder {
        private final Map<String, Object> code = new LinkedHashMap<>();
        private final List<DockerHost> hosts = new ArrayList<>();
        private @Nullable Placement placement;
        private @Nullable ContainerRules containers;

        private Builder() {}

        /**
         * Adds an engine that containers may run on; without any, it is what the configuration says, or else the one of this
         * machine.
         *
         * @param host the engine
         * @return this
         */
        public Builder host(DockerHost host) {
            hosts.add(host);
            return this;
        }

        /**
         * Sets how agents are spread over the engines.
         *
         * @param how chooses an engine; by default {@link Placement#leastLoaded()}
         * @return this
         */
        public Builder placement(Placement how) {
            this.placement = how;
            return this;
        }

        /**
         * Sets the image that agents work in, unless a merged story has chosen another one.
         *
         * @param name a name, an id or a digest; pulled where an engine does not have it, and an error when that fails
         * @return this
         */
        public Builder image(String name) {
            return set("image", name);
        }

        /**
         * Sets from what the image is built where none is set.
         *
         * @param path of a Dockerfile in the repository
         * @return this
         */
        public Builder dockerfile(String path) {
            return set("dockerfile", path);
        }

        /**
         * Sets on what the safe image is built.
         *
         * @param name an image with apt-get, apk, dnf or microdnf, or with git, curl, make and cc
         * @return this
         */
        public Builder base(String name) {
            return set("base", name);
        }

        /**
         * Sets as whom agents work.
         *
         * @param name a user or {@code user:group}; by default the owner of the workspace
         * @return this
         */
        public Builder user(String name) {
            return set("user", name);
        }

        /**
         * Sets whether coders can write only to the workspace and to {@code /tmp}.
         *
         * @param only true for a read-only root; by default false
         * @return this
         */
        public Builder readOnlyRoot(boolean only) {
            return set("read_only_root", only);
        }

        /**
         * Sets how much of the machine a container may take.
         *
         * @param phase in which phase
         * @param limits the limits
         * @return this
         */
        public Builder limits(Phase phase, ContainerLimits limits) {
            return limits(phase.name().toLowerCase(Locale.ROOT), limits);
        }

        /**
         * Sets how much of the machine a test container may take.
         *
         * @param limits the limits; by default those of coding
         * @return this
         */
        public Builder testLimits(ContainerLimits limits) {
            return limits("test", limits);
        }

        /**
         * Sets how much of the machine one service of a compose file may ask for.
         *
         * @param limits more is refused; by default {@link ContainerLimits#CODING}
         * @return this
         */
        public Builder composeLimits(ContainerLimits limits) {
            return limits("compose", limits);
        }

        /**
         * Sets how many containers the services of one agent have at most.
         *
         * @param most from 1 to 1000; by default 20
         * @return this
         */
        public Builder composeContainers(int most) {
            section("compose").put("containers", most);
            return this;
        }

        private Builder limits(String section, ContainerLimits limits) {
            Map<String, Object> values = section(section);
            values.put("cpus", limits.cpus());
            values.put("memory_mb", limits.memoryBytes() / (double) (1 << 20));
            values.put("pids", limits.pids());
            return this;
        }

        /**
         * Sets a container's network.
         *
         * @param phase in which phase
         * @param name {@code none}; {@code open} (or {@code bridge}) for a network that no other attempt is on; or the name of one
         *     that the engine has; by default {@code open} while coding, else none
         * @return this
         */
        public Builder network(Phase phase, String name) {
            section(phase.name().toLowerCase(Locale.ROOT)).put("network", name);
            return this;
        }

        /**
         * Takes a container's network away and lets it reach some names through a proxy of this machine, which looks them up,
         * refuses addresses that are not on the internet, and compares the name that TLS asks for. Only for an engine on this
         * machine itself.
         *
         * @param phase in which phase
         * @param allow names, as {@code repo.example.org}, {@code *.example.org} for all below it, both with a port or without,
         *     which means 443 with TLS and 80 without; or {@code maven}, {@code gradle}, {@code npm}, {@code pypi}, {@code go} or
         *     {@code cargo} for what these fetch packages from
         * @param mirrors names of the host's own, whose addresses may be private, with a port or without
         * @return this
         */
        public Builder reachable(Phase phase, List<String> allow, List<String> mirrors) {
            section(phase.name().toLowerCase(Locale.ROOT))
                    .put("network", Map.of("allow", List.copyOf(allow), "mirrors", List.copyOf(mirrors)));
            return this;
        }

        /**
         * Sets a test container's network while coding; while planning it has none.
         *
         * @param name as for {@link #network}; by default what coding has
         * @return this
         */
        public Builder testNetwork(String name) {
            section("test").put("network", name);
            return this;
        }

        /**
         * Sets variables of all commands in agents' containers. No secrets: the engine shows them; what is secret is passed from
         * the host by its name, see {@code passEnvironment} of the builder of {@code Maestro}, and wins.
         *
         * @param values by their names; not {@code HOME}, which is set, and with a list of names in the network not the variables
         *     of proxies
         * @return this
         */
        public Builder variables(Map<String, String> values) {
            return set("variables", Map.copyOf(values));
        }

        /**
         * Sets directories of coders' containers that outlast them, for what is fetched again and again. Each coder has its own,
         * and what decides, as the tests before a merge, has none of them: who writes to a cache can put programs there.
         *
         * @param paths by the caches' names, absolute or from {@code ~/} on, for example {@code Map.of("maven", "~/.m2")}
         * @return this
         */
        public Builder caches(Map<String, String> paths) {
            return set("caches", Map.copyOf(paths));
        }

        /**
         * Sets which ports of coders' containers are published: on 127.0.0.1 of the engine's machine, each on a port that the
         * engine chooses and the log tells. CODING needs a network for it, which a list of names is not.
         *
         * @param numbers from 1 to 65535
         * @return this
         */
        public Builder ports(List<Integer> numbers) {
            return set("ports", List.copyOf(numbers));
        }

        /**
         * Sets how large {@code /tmp} is.
         *
         * @param megabytes more than zero; by default 512
         * @return this
         */
        public Builder tmpfsMegabytes(int megabytes) {
            return set("tmpfs_mb", megabytes);
        }

        /**
         * Sets how long the build of an image may take.
         *
         * @param limit more than zero; by default 10 minutes
         * @return this
         */
        public Builder buildTimeLimit(Duration limit) {
            return set("build_seconds", limit.toMillis() / 1000.0);
        }

        /**
         * Sets how long closing an environment may take, whatever hangs. A whole project takes twice as long at most. What is
         * left then is removed by the next start of the project.
         *
         * @param limit more than zero; by default 3 minutes
         * @return this
         */
        public Builder closeTimeLimit(Duration limit) {
            return set("close_seconds", limit.toMillis() / 1000.0);
        }

        /**
         * Sets how much an attempt may hold on disks: in its workspace, in its volumes, and in what its containers and services
         * have written beside them; and how much one build may write. Where it is more, containers and services are made anew,
         * and an attempt that goes on growing ends.
         *
         * @param megabytes more than zero; by default 20480
         * @return this
         */
        public Builder diskMegabytes(int megabytes) {
            return set("disk_mb", megabytes);
        }

        /**
         * Sets how much stays free on the disk of the project directory, and on that of an engine on this machine. While it is
         * less, no attempt may grow, and nothing is built.
         *
         * @param megabytes 0 or more; by default 1024
         * @return this
         */
        public Builder diskReserveMegabytes(int megabytes) {
            return set("disk_reserve_mb", megabytes);
        }

        /**
         * Sets how much of the machine the commands of a build may take together.
         *
         * @param limits the limits; by default those of coding
         * @return this
         */
        public Builder buildLimits(ContainerLimits limits) {
            return limits("build", limits);
        }

        /**
         * Sets whether a build is refused on an engine none of whose builders holds limits.
         *
         * @param required by default true; with false such a build has none
         * @return this
         */
        public Builder buildLimitsRequired(boolean required) {
            return set("build_limits", required ? "required" : "optional");
        }

        /**
         * Sets the control group in which the commands of builds run. Without it Maestro makes one with their limits.
         *
         * @param group on the engine's machine, with limits, for example {@code /builds} or {@code builds.slice}
         * @return this
         */
        public Builder buildControlGroup(String group) {
            return set("build_cgroup", group);
        }

        /**
         * Sets the network of the commands of a build.
         *
         * @param name {@code none}; every other name is the engine's default for builds; by default that of coding
         * @return this
         */
        public Builder buildNetwork(String name) {
            section("build").put("network", name);
            return this;
        }

        /**
         * Sets which images agents may use beside the safe one, the project's and what they build: in Dockerfiles, services and
         * tools. One that the engine does not have is pulled, with the logins of the engine's user.
         *
         * @param names names with a tag, without one for all tags, or with an {@code *} at the end; by default none
         * @return this
         */
        public Builder allowedImages(List<String> names) {
            return set("allowed_images", List.copyOf(names));
        }

        /**
         * Sets whether agents may bring up services from compose files.
         *
         * @param enabled by default true
         * @return this
         */
        public Builder compose(boolean enabled) {
            section("compose").put("enabled", enabled);
            return this;
        }

        /**
         * Sets whether ports of services are published on the engine's machine.
         *
         * @param publish by default false; two coders that publish the same port collide
         * @return this
         */
        public Builder composePorts(boolean publish) {
            section("compose").put("publish_ports", publish);
            return this;
        }

        /**
         * Sets whether services keep the names of containers that their file gives them.
         *
         * @param keep by default false; two coders with the same name collide
         * @return this
         */
        public Builder composeContainerNames(boolean keep) {
            section("compose").put("container_names", keep);
            return this;
        }

        /**
         * Sets how long it may take to bring services up, unless the agent says it.
         *
         * @param limit more than zero, and no more than 15 minutes count; by default 3 minutes
         * @return this
         */
        public Builder composeTimeLimit(Duration limit) {
            section("compose").put("up_seconds", limit.toMillis() / 1000.0);
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
         * Sets how the workspace gets into containers.
         *
         * @param mode by default {@link WorkspaceMode#AUTO}
         * @return this
         */
        public Builder workspace(WorkspaceMode mode) {
            return set("workspace", mode.name().toLowerCase(Locale.ROOT));
        }

        /**
         * Makes the factory. Whether the settings are right is seen when it is used.
         *
         * @return the factory
         */
        public DockerEnvironments build() {
            return new DockerEnvironments(this);
        }

        private Builder set(String name, Object value) {
            code.put(name, value);
            return this;
        }

        @SuppressWarnings("unchecked") // nothing but such maps is put there
        private Map<String, Object> section(String name) {
            return (Map<String, Object>) code.computeIfAbsent(name, key -> new LinkedHashMap<String, Object>());
        }
    }
}
