package io.maestro.docker;

import io.maestro.docker.internal.BootstrapImage;
import io.maestro.docker.internal.ClientDirectory;
import io.maestro.docker.internal.Container;
import io.maestro.docker.internal.DockerCli;
import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.InstanceRegistry;
import io.maestro.docker.internal.Labels;
import io.maestro.docker.internal.ProjectLockFile;
import io.maestro.docker.internal.Sweep;
import io.maestro.docker.internal.SweepReport;
import io.maestro.docker.internal.sandbox.HostUser;
import io.maestro.docker.internal.sandbox.Sandboxes;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Containers of one program on one engine, for those who need only this part of Maestro:
 *
 * <pre>{@code
 * try (Containers containers = Containers.on(DockerHost.local()).projectDirectory(Path.of("work")).open()) {
 *     String image = containers.ensureBootstrap("debian:stable-slim");
 *     RunningContainer container = containers.start(ContainerSpec.builder(image, "build").build());
 *     ExecResult result = container.executor().run(ExecRequest.command("gcc", "--version").build());
 *     System.out.println(result.stdout().text());
 * }
 * }</pre>
 *
 * <p>Whatever is made carries labels with the id of the project directory. What a run that was killed has left is removed when
 * the next one is opened, and all that is there when this one is closed; images stay. Nothing without these labels is ever
 * touched. A project directory belongs to one {@code Containers} or {@code Maestro} at a time; give each one of its own.
 *
 * <p>Safe for use by several threads. After {@link #close} every method throws {@link IllegalStateException}.
 */
public final class Containers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Containers.class);

    /** Whom containers are for where there are no agents. */
    private static final String AGENT = "program";

    private final Engine engine;
    private final InstanceRegistry registry;
    private final ProjectLockFile lock;
    private final OpenExecutors executors = new OpenExecutors();
    private final Sandboxes sandboxes;
    private final ReentrantLock closing = new ReentrantLock();
    private volatile boolean closed;

    private Containers(
            Engine engine, InstanceRegistry registry, ProjectLockFile lock, ContainerRules rules, HostUser host) {
        this.sandboxes = new Sandboxes(engine, AGENT, rules, host, this::running);
        this.engine = engine;
        this.registry = registry;
        this.lock = lock;
    }

    /**
     * Starts to describe where the containers run.
     *
     * @param host the engine
     * @return a builder
     */
    public static Builder on(DockerHost host) {
        return new Builder(host);
    }

    /**
     * Makes and starts a container, and checks that it runs and a shell in it answers.
     *
     * @param spec what it is
     * @return the container, running
     * @throws ContainerStartException when it does not come up, with the reason; nothing of it is left then
     * @throws DockerUnavailableException when the engine does not answer
     */
    public RunningContainer start(ContainerSpec spec) {
        requireOpen();
        return running(engine.start(AGENT, spec));
    }

    /**
     * All containers that were made and not removed, running or not.
     *
     * @return in no order
     * @throws DockerUnavailableException when the engine does not answer
     */
    public List<RunningContainer> list() {
        requireOpen();
        return engine.containers().stream().map(this::running).toList();
    }

    private RunningContainer running(Container container) {
        return new RunningContainer(engine, container, executors);
    }

    /**
     * Makes a container and provides it with what its request asks for: an image of its purpose, a user, variables, an identity,
     * repositories, files. Where the engine does not come up with the container, nothing of it is left and this throws; where a
     * later step fails, the container is there and its {@link ProvisioningReport} says what is missing.
     *
     * <pre>{@code
     * ProvisionedContainer api = containers.create(ContainerRequest.builder().name("api").purpose("python").build());
     * if (!api.report().orElseThrow().succeeded()) {
     *     throw new IllegalStateException(api.report().orElseThrow().toString());
     * }
     * ExecResult result = api.run(ExecRequest.shell("python3 --version").build());
     * }</pre>
     *
     * @param request what it is
     * @return the container, running
     * @throws IllegalArgumentException when the {@link ContainerRules} do not allow it, or its name is taken
     * @throws ContainerStartException when it does not come up
     * @throws ImageBuildException when the image of its purpose cannot be built; none is left then
     * @throws DockerException when its image is not there and cannot be fetched
     * @throws DockerUnavailableException when the engine does not answer
     */
    public ProvisionedContainer create(ContainerRequest request) {
        return create(request, step -> {});
    }

    /**
     * The same, and tells how it goes on.
     *
     * @param request what it is
     * @param listener is told each step when it has ended, by the thread that calls this
     * @return the container, running
     */
    public ProvisionedContainer create(ContainerRequest request, Consumer<ProvisioningReport.Step> listener) {
        requireOpen();
        return sandboxes.create(request, listener);
    }

    /**
     * The container of a name; one that stays is found in later lives of the project directory, too.
     *
     * @param name its name
     * @return the container, running or not
     * @throws IllegalArgumentException when there is none of that name; the message names those that there are
     */
    public ProvisionedContainer container(String name) {
        requireOpen();
        return sandboxes.get(name);
    }

    /**
     * All containers that {@link #create} has made and nobody has destroyed.
     *
     * @return in no order
     */
    public List<ProvisionedContainer> provisioned() {
        requireOpen();
        return List.copyOf(sandboxes.list());
    }

    /** Destroys all containers that {@link #create} has made, those that stay too. */
    public void destroyAll() {
        requireOpen();
        sandboxes.list().forEach(ProvisionedContainer::destroy);
    }

    /**
     * Makes a network whose containers reach each other by their names. It goes when this is closed.
     *
     * @param name by which {@link ContainerRequest.Builder#network} finds it
     * @param inside whether its containers reach nothing else
     * @throws IllegalArgumentException when the name is none, or taken
     */
    public void createNetwork(String name, boolean inside) {
        requireOpen();
        sandboxes.createNetwork(name, inside);
    }

    /**
     * Removes a network.
     *
     * @param name its name
     * @throws IllegalArgumentException when there is none of that name
     * @throws DockerException when containers are in it
     */
    public void destroyNetwork(String name) {
        requireOpen();
        sandboxes.destroyNetwork(name);
    }

    /**
     * The images that {@link ProvisionedContainer#snapshot} has made.
     *
     * @return their names, sorted
     */
    public List<String> snapshots() {
        requireOpen();
        return sandboxes.snapshots();
    }

    /**
     * Removes a snapshot; fine when it is gone.
     *
     * @param name its name
     * @throws DockerException when a container uses it
     */
    public void removeSnapshot(String name) {
        requireOpen();
        sandboxes.removeSnapshot(name);
    }

    /**
     * Removes what makes the second container of a purpose faster than the first: its image and its caches. All instances on an
     * engine have the image in common: each builds it again when it needs it next.
     *
     * @param purpose the name of a purpose; empty for all
     * @return what was removed, by name
     * @throws DockerException when a container uses a cache
     */
    public List<String> clearCaches(Optional<String> purpose) {
        requireOpen();
        return sandboxes.clearCaches(purpose);
    }

    /** For the tool {@code containers}. */
    Sandboxes sandboxes() {
        return sandboxes;
    }

    /**
     * Builds an image from files. It stays when this is closed.
     *
     * @param build what from
     * @return the image's id, {@code sha256:…}
     * @throws ImageBuildException when it is not built, with what the build printed
     * @throws DockerUnavailableException when the engine does not answer
     */
    public String build(ImageBuild build) {
        requireOpen();
        return engine.build(build).id();
    }

    /**
     * Removes an image that was built here, with all its names. Fine when it is gone already.
     *
     * @param imageId what {@link #build} returned
     * @throws DockerException when it was not built for this project directory, or a container uses it
     */
    public void removeImage(String imageId) {
        requireOpen();
        engine.removeImage(imageId);
    }

    /**
     * Builds the image of Maestro's safe container unless it is there: git, curl, make and a compiler on a base. It stays.
     *
     * @param base the name of an image with apt-get, apk, dnf or microdnf; the engine fetches it where it is not there
     * @return the image's id, {@code sha256:…}
     * @throws ImageBuildException when it is not built, with what the build printed
     * @throws DockerUnavailableException when the engine does not answer
     */
    public String ensureBootstrap(String base) {
        requireOpen();
        return BootstrapImage.ensure(engine, base).id();
    }

    /**
     * An image with more in it than its base: commands are run as root while it is built, as no running container may.
     * Built once for a base and commands; it stays.
     *
     * @param baseImage a name or an id of an image that is there
     * @param setUpCommands lines for the shell; no secrets, as whoever has the image can read them
     * @return the image's id, {@code sha256:…}
     * @throws ImageBuildException when a command fails, with what the build printed
     * @throws DockerUnavailableException when the engine does not answer
     */
    public String derive(String baseImage, List<String> setUpCommands) {
        requireOpen();
        return engine.derive(baseImage, setUpCommands).id();
    }

    /**
     * Whether the engine has an image; nothing is fetched.
     *
     * @param name a name or an id
     * @return true when a container can be made from it
     * @throws DockerUnavailableException when the engine does not answer
     */
    public boolean hasImage(String name) {
        requireOpen();
        return engine.image(name).isPresent();
    }

    /**
     * Removes what other project directories of this machine have left on the engine: only when the directory is there, has
     * given no sign of life for two minutes, and nobody holds its lock.
     *
     * @return what was removed, each as for example {@code container maestro-1f2e3d4c-…}
     * @throws DockerUnavailableException when the engine does not answer
     */
    public List<String> sweep() {
        requireOpen();
        return new Sweep(engine, Containers::isKept).ofTheDead().removed();
    }

    private static boolean isKept(Map<String, String> labels) {
        return !labels.getOrDefault(Labels.KEEP, "").isEmpty();
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("these containers were closed; open them again");
        }
    }

    /**
     * Closes all executors and removes all containers, volumes and networks. A second call does nothing.
     *
     * @throws DockerException when something is left, after everything was tried
     * @throws DockerUnavailableException when the engine does not answer; the next start removes what is left
     */
    @Override
    public void close() {
        closing.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            try {
                sandboxes.close();
                executors.closeAll();
                SweepReport report = new Sweep(engine, Containers::isKept).atClose();
                if (!report.failed().isEmpty()) {
                    throw new DockerException(
                            "not all could be removed; the next start tries again: "
                                    + String.join("; ", report.failed()),
                            null);
                }
            } finally {
                registry.close();
                lock.close();
            }
        } finally {
            closing.unlock();
        }
    }

    @Override
    public String toString() {
        return "Containers[" + engine.cli().host().name() + ", "
                + engine.instance().project() + "]";
    }

    /** Collects the settings of {@link Containers}. Not safe for use by several threads. */
    public static final class Builder {
        private final DockerHost host;
        private @Nullable Path projectDirectory;
        private ContainerRules rules = ContainerRules.builder().build();
        private HostUser client = HostUser.ofThisJvm();

        private Builder(DockerHost host) {
            this.host = host;
        }

        /**
         * Sets whose containers they are.
         *
         * @param directory made if need be; it keeps an id below {@code .maestro}
         * @return this
         */
        public Builder projectDirectory(Path directory) {
            this.projectDirectory = directory.toAbsolutePath().normalize();
            return this;
        }

        /**
         * Sets what may be asked of {@link Containers#create}.
         *
         * @param allowed by default those of an empty {@link ContainerRules#builder}
         * @return this
         */
        public Builder rules(ContainerRules allowed) {
            this.rules = allowed;
            return this;
        }

        /** Sets whose variables and identity are handed over; for tests. */
        Builder host(HostUser other) {
            this.client = other;
            return this;
        }

        /**
         * Takes the project directory, and removes what an earlier run has left.
         *
         * @return the containers, none yet
         * @throws IllegalStateException when no project directory is set
         * @throws DockerException when the directory is in use or cannot be written, or leftovers cannot be removed
         * @throws DockerUnavailableException when the engine does not answer
         */
        public Containers open() {
            if (projectDirectory == null) {
                throw new IllegalStateException("set a project directory: its id tells whose the containers are");
            }
            ProjectLockFile lock = ProjectLockFile.hold(projectDirectory);
            @Nullable InstanceRegistry registry = null;
            boolean open = false;
            try {
                registry = InstanceRegistry.open(projectDirectory);
                DockerCli cli = ClientDirectory.of(
                        new DockerCli(host), registry.instance().project());
                ClientDirectory.endLeftovers(cli, registry.instance().project());
                Engine engine = new Engine(cli, registry.instance());
                SweepReport report = new Sweep(engine, Containers::isKept).atStart();
                LOG.debug("opened on {}; an earlier run had left {}", host.name(), report.removed());
                open = true;
                return new Containers(engine, registry, lock, rules, client);
            } finally {
                if (!open) {
                    if (registry != null) {
                        registry.close();
                    }
                    lock.close();
                }
            }
        }
    }
}
