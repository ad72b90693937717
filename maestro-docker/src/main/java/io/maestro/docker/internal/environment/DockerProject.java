package io.maestro.docker.internal.environment;

import io.maestro.docker.DockerHost;
import io.maestro.docker.DockerUnavailableException;
import io.maestro.docker.internal.BootstrapImage;
import io.maestro.docker.internal.BoundWorkspace;
import io.maestro.docker.internal.Container;
import io.maestro.docker.internal.DockerCli;
import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.Instance;
import io.maestro.docker.internal.MappedUser;
import io.maestro.docker.internal.WorkspaceTransport;
import io.maestro.docker.internal.tools.ContainerTools;
import io.maestro.environment.Environment;
import io.maestro.environment.EnvironmentProject;
import io.maestro.environment.Environments;
import io.maestro.environment.Workplace;
import io.maestro.error.MaestroException;
import io.maestro.tools.ToolFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The environments of one project for one life of its Maestro. Safe for use by several threads. */
public final class DockerProject implements Environments {
    private static final Logger LOG = LoggerFactory.getLogger(DockerProject.class);

    private final EnvironmentProject project;
    private final Settings settings;
    private final Engine engine;
    private final ProjectImages images;
    private final ContainerDesk desk = new ContainerDesk();
    private final Set<StoryEnvironment> open = ConcurrentHashMap.newKeySet();

    private DockerProject(EnvironmentProject project, Settings settings, Engine engine) {
        this.project = project;
        this.settings = settings;
        this.engine = engine;
        Builds builds = new Builds(
                engine.instance(),
                project.redactor(),
                project.variables().values(),
                !settings.phase(io.maestro.environment.Phase.CODING).network().equals(PhaseSettings.NO_NETWORK),
                settings.buildTime());
        this.images = new ProjectImages(
                settings,
                project.directory(),
                builds,
                on -> BootstrapImage.ensure(on, settings.base().orElse(BootstrapImage.DEFAULT_BASE)));
    }

    /**
     * Opens the environments of a project.
     *
     * @throws MaestroException when no engine answers
     */
    public static DockerProject open(EnvironmentProject project, Settings settings) {
        Instance instance = new Instance(Instance.newId(), project.sessionId(), project.directory());
        return new DockerProject(project, settings, new Engine(client(settings), instance));
    }

    /** Podman is tried where nobody has said which engine it is to be. */
    private static DockerCli client(Settings settings) {
        DockerCli client = new DockerCli(settings.hosts().get(0));
        try {
            client.output("version");
            return client;
        } catch (DockerUnavailableException e) {
            if (settings.hostsChosen()) {
                throw e;
            }
            DockerCli podman =
                    new DockerCli(DockerHost.builder().program("podman").build());
            try {
                podman.output("version");
            } catch (MaestroException other) {
                e.addSuppressed(other);
                throw e;
            }
            LOG.info("no docker answers, so podman is used");
            return podman;
        }
    }

    /** Whose all this is. */
    Instance instance() {
        return engine.instance();
    }

    @Override
    public boolean isolates() {
        return true;
    }

    @Override
    public void endLeftovers() {
        // TODO sweep
    }

    @Override
    public Environment open(Workplace place) {
        WorkspaceTransport transport = transport(place);
        Optional<String> user = settings.user().or(() -> Optional.of(MappedUser.of(place.directory(), engine.facts())));
        StoryEnvironment environment = new StoryEnvironment(
                place,
                engine,
                new PhaseSpecs(settings, place, transport::mount, user),
                new AttemptRooms(engine, transport, shellVariables()),
                images,
                new StoryEnvironment.Services() {
                    @Override
                    public void join(Container container) {}

                    @Override
                    public void leave(List<Container> containers) {}

                    @Override
                    public void close() {
                        transport.close();
                    }
                },
                this::closed);
        open.add(environment);
        desk.opened(place.agentId(), environment);
        return environment;
    }

    private void closed(StoryEnvironment environment) {
        open.remove(environment);
        desk.closed(environment.place().agentId(), environment);
    }

    private WorkspaceTransport transport(Workplace place) {
        return new BoundWorkspace(place.directory());
    }

    /** A shell cannot set other names. */
    private Map<String, String> shellVariables() {
        Map<String, String> variables = new LinkedHashMap<>();
        project.variables().forEach((name, value) -> {
            if (name.matches("[A-Za-z_][A-Za-z0-9_]*")) {
                variables.put(name, value);
            } else {
                LOG.warn("the variable '{}' is not passed on: no shell could set it", name);
            }
        });
        return variables;
    }

    @Override
    public List<ToolFactory> tools() {
        List<ToolFactory> tools = new ArrayList<>(ContainerTools.all(
                settings.buildTime(), String.valueOf(project.directory().getFileName())));
        return List.copyOf(tools);
    }

    @Override
    public Map<Class<?>, Object> services() {
        return Map.of(ContainerDesk.class, desk);
    }

    @Override
    public void close() {
        List<RuntimeException> failures = new ArrayList<>();
        for (StoryEnvironment environment : List.copyOf(open)) {
            try {
                environment.close();
            } catch (RuntimeException e) {
                failures.add(e);
            }
        }
        if (!failures.isEmpty()) {
            RuntimeException first = failures.get(0);
            failures.stream().skip(1).forEach(first::addSuppressed);
            throw first;
        }
    }
}
