package io.maestro.docker.internal.environment;

import io.maestro.docker.DockerException;
import io.maestro.docker.DockerHost;
import io.maestro.docker.DockerUnavailableException;
import io.maestro.docker.internal.BootstrapImage;
import io.maestro.docker.internal.ClientDirectory;
import io.maestro.docker.internal.ClosingTime;
import io.maestro.docker.internal.DockerCli;
import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.Instance;
import io.maestro.docker.internal.InstanceRegistry;
import io.maestro.docker.internal.KnownSecrets;
import io.maestro.docker.internal.Labels;
import io.maestro.docker.internal.Sweep;
import io.maestro.docker.internal.SweepReport;
import io.maestro.docker.internal.compose.AgentStacks;
import io.maestro.docker.internal.compose.ComposeStack;
import io.maestro.docker.internal.compose.ComposeTools;
import io.maestro.environment.Environment;
import io.maestro.environment.EnvironmentProject;
import io.maestro.environment.Environments;
import io.maestro.environment.Phase;
import io.maestro.environment.Workplace;
import io.maestro.error.MaestroException;
import io.maestro.exec.ExecResult;
import io.maestro.files.internal.SafeDirectory;
import io.maestro.tools.NetworkAccess;
import io.maestro.tools.ToolFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The environments of one project for one life of its Maestro. Safe for use by several threads. */
public final class DockerProject implements Environments {
    private static final Logger LOG = LoggerFactory.getLogger(DockerProject.class);

    private static final String BUILDS = "builds";

    private final EnvironmentProject project;
    private final Settings settings;
    private final List<ToolFactory> ownTools;
    private final InstanceRegistry registry;
    private final Engines engines;
    private final ClosingTime closing;
    private final ProjectImages images;
    private final AttemptEngines attemptEngines;
    private final AgentEnvironments agentEnvironments = new AgentEnvironments();
    private final Set<StoryEnvironment> open = ConcurrentHashMap.newKeySet();

    private DockerProject(
            EnvironmentProject project,
            Settings settings,
            List<ToolFactory> ownTools,
            InstanceRegistry registry,
            Engines engines,
            ClosingTime closing) {
        this.project = project;
        this.settings = settings;
        this.ownTools = ownTools;
        this.registry = registry;
        this.engines = engines;
        this.closing = closing;
        String base = settings.images().base().orElse(BootstrapImage.DEFAULT_BASE);
        UsableImages usable = new UsableImages(
                settings,
                project.directory(),
                registry.instance(),
                new BuiltImages(project.directory()),
                engine -> BootstrapImage.ensure(engine, base));
        Builds builds = new Builds(
                registry.instance(),
                project.redactor(),
                new KnownSecrets(project.variables().values(), project.redactor()),
                settings,
                usable,
                engine -> BootstrapImage.nameOn(engine, base),
                state(project, BUILDS));
        this.images = new ProjectImages(settings, project.directory(), builds, usable);
        this.attemptEngines = new AttemptEngines(project, settings, engines, images);
    }

    /** Whoever may ask the engine sees them. */
    private static void requireNoSecrets(Settings settings, EnvironmentProject project) {
        KnownSecrets secrets = new KnownSecrets(project.variables().values(), project.redactor());
        settings.container().variables().forEach((name, value) -> {
            if (secrets.in(value) || !project.redactor().redact(value).equals(value)) {
                throw new MaestroException("container.variables." + name
                        + " looks like a secret, and whoever may ask the"
                        + " engine would see it: pass it from the host by its name, with passEnvironment(\"" + name
                        + "\") or environment.pass, or write the value so that it holds none");
            }
        });
    }

    /**
     * Opens the environments of a project; the project directory is held by the caller.
     *
     * @param ownTools the tools for the containers themselves
     * @throws DockerUnavailableException when no engine answers
     * @throws MaestroException when the project directory cannot be used
     */
    public static DockerProject open(EnvironmentProject project, Settings settings, List<ToolFactory> ownTools) {
        requireNoSecrets(settings, project);
        List<DockerHost> hosts = answering(settings);
        InstanceRegistry registry = InstanceRegistry.open(project.directory());
        ClosingTime closing = new ClosingTime();
        List<Engine> answering = hosts.stream()
                .map(host -> new Engine(
                        ClientDirectory.of(new DockerCli(host, closing), project.directory()), registry.instance()))
                .toList();
        return new DockerProject(
                project,
                settings,
                List.copyOf(ownTools),
                registry,
                new Engines(answering, settings.engines().placement()),
                closing);
    }

    /** The hosts, of which one at least answers. Podman is tried where nobody has said which engine it is to be. */
    private static List<DockerHost> answering(Settings settings) {
        List<DockerUnavailableException> silent = new ArrayList<>();
        for (DockerHost host : settings.engines().hosts()) {
            if (answers(host, silent)) {
                return settings.engines().hosts();
            }
        }
        DockerHost podman = DockerHost.builder().program("podman").build();
        if (!settings.engines().isChosen() && answers(podman, silent)) {
            LOG.info("no docker answers, so podman is used");
            return List.of(podman);
        }
        DockerUnavailableException first = silent.get(0);
        silent.stream().skip(1).forEach(first::addSuppressed);
        throw first;
    }

    private static boolean answers(DockerHost host, List<DockerUnavailableException> silent) {
        try {
            DockerCli cli = new DockerCli(host);
            ExecResult result = cli.run(
                    cli.command(List.of("version")).timeLimit(DockerCli.FIRST).build());
            if (!result.succeeded()) {
                throw cli.failure(result, "version");
            }
            return true;
        } catch (DockerUnavailableException e) {
            silent.add(e);
            return false;
        } catch (DockerException e) {
            silent.add(new DockerUnavailableException(String.valueOf(e.getMessage()), e));
            return false;
        }
    }

    /** Whose all this is. */
    Instance instance() {
        return registry.instance();
    }

    @Override
    public boolean isolates() {
        return true;
    }

    @Override
    public boolean mayReach(Phase phase, String host, int port, boolean tls) {
        return settings.network(phase).mayReach(host, port, tls);
    }

    @Override
    public NetworkAccess network(Phase phase) {
        return settings.network(phase).access();
    }

    private static Path state(EnvironmentProject project, String name) {
        return project.directory().resolve(".maestro").resolve(name);
    }

    @Override
    public void endLeftovers(Map<String, Integer> openAttempts) {
        endClients();
        for (Engine engine : engines.all()) {
            try {
                new Sweep(engine, labels -> isLasting(labels) || StateVolume.isOfOneOf(openAttempts, labels)).atStart();
            } catch (DockerUnavailableException e) {
                if (engines.all().size() == 1) {
                    throw e;
                }
                LOG.warn(
                        "{} does not answer; what was left there is removed by a later start: {}",
                        engine.cli().host().name(),
                        e.getMessage());
                continue;
            }
            try {
                ComposeStack.removeImages(engine.cli(), engine.instance());
                images.removeUnpinned(engine, story -> !openAttempts.containsKey(story));
                new Sweep(engine, labels -> isLasting(labels) || StateVolume.hasWorkspace(labels)).ofTheDead();
            } catch (MaestroException e) {
                LOG.warn(
                        "what is left of stacks and stories, or of other instances, could not be looked for: {}",
                        e.getMessage());
            }
        }
        deleteState();
    }

    private static boolean isLasting(Map<String, String> labels) {
        return CacheVolumes.isOne(labels) || Labels.isLasting(labels);
    }

    /** The clients of a JVM that was killed go on by themselves, and would make anew what is removed. */
    private void endClients() {
        ClientDirectory.endLeftovers(engines.all().get(0).cli(), project.directory());
        Path stacks = state(project, AttemptEngines.STACKS);
        if (Files.isDirectory(stacks)) {
            try (Stream<Path> all = Files.list(stacks)) {
                for (Path stack : all.filter(Files::isDirectory).toList()) {
                    engines.all().get(0).cli().in(stack).endLeftovers();
                }
            } catch (IOException e) {
                throw new DockerException("what an earlier run has left in " + stacks + " cannot be read: " + e, e);
            }
        }
    }

    /** Copies of workspaces, which nobody uses any more. */
    private void deleteState() {
        for (String name : List.of(BUILDS, AttemptEngines.STACKS, AttemptEngines.SYNC, AttemptEngines.EGRESS)) {
            Path directory = state(project, name);
            try {
                SafeDirectory.deleteTree(directory);
            } catch (IOException e) {
                LOG.warn("what an earlier run has left in {} cannot be deleted: {}", directory, e.toString());
            }
        }
    }

    @Override
    public Environment open(Workplace place) {
        MountTargets places = new MountTargets(place);
        StoryEnvironment environment = new StoryEnvironment(
                place,
                places,
                attemptEngines,
                images,
                this::closed,
                closing,
                settings.engines().closeTimeLimit());
        open.add(environment);
        agentEnvironments.opened(place.agentId(), environment);
        return environment;
    }

    private void closed(StoryEnvironment environment) {
        open.remove(environment);
        agentEnvironments.closed(environment.place().agentId(), environment);
    }

    @Override
    public List<ToolFactory> tools() {
        List<ToolFactory> tools = new ArrayList<>(ownTools);
        // There is no compose for podman here.
        boolean docker =
                engines.all().stream().anyMatch(engine -> !engine.cli().host().isPodman());
        if (settings.compose().enabled() && docker) {
            tools.addAll(ComposeTools.all(settings.compose().timeLimit()));
        }
        return List.copyOf(tools);
    }

    @Override
    public Map<Class<?>, Object> services() {
        AgentStacks compose = agentId -> agentEnvironments.of(agentId).stack();
        return Map.of(AgentEnvironments.class, agentEnvironments, AgentStacks.class, compose);
    }

    /** Ends within twice the time to close: the environments at the same time, then what else there is on all engines. */
    @Override
    public void close() {
        Failures failures = new Failures();
        try {
            List<Runnable> environments = new ArrayList<>();
            open.forEach(environment -> environments.add(environment::close));
            failures.addAll(closing.all(settings.engines().closeTimeLimit(), "an environment", environments));
            failures.addAll(closing.all(
                    settings.engines().closeTimeLimit(),
                    "an engine",
                    engines.all().stream()
                            .map(engine -> (Runnable) () -> sweep(engine))
                            .toList()));
        } finally {
            registry.close();
        }
        failures.throwFirst();
    }

    private static void sweep(Engine engine) {
        SweepReport report;
        try {
            // What attempts have kept is for whoever goes on with them; a start removes that of the others.
            report = new Sweep(engine, labels -> isLasting(labels) || StateVolume.isOne(labels)).atClose();
        } catch (DockerUnavailableException e) {
            LOG.warn(
                    "{} does not answer; what is left there is removed by the next start of this project: {}",
                    engine.cli().host().name(),
                    e.getMessage());
            return;
        }
        if (!report.failed().isEmpty()) {
            throw new DockerException(
                    "not everything could be removed on " + engine.cli().host().name()
                            + "; the next start of this project tries again: " + String.join("; ", report.failed()),
                    null);
        }
    }
}
