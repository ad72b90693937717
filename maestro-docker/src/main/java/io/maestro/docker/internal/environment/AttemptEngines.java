package io.maestro.docker.internal.environment;

import io.maestro.docker.DockerException;
import io.maestro.docker.WorkspaceMode;
import io.maestro.docker.internal.DiskUse;
import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.Image;
import io.maestro.docker.internal.KnownSecrets;
import io.maestro.docker.internal.compose.ComposeRules;
import io.maestro.docker.internal.compose.ComposeStack;
import io.maestro.docker.internal.compose.StackImages;
import io.maestro.docker.internal.compose.StackOwner;
import io.maestro.docker.internal.disk.Disks;
import io.maestro.docker.internal.workspace.BindProbe;
import io.maestro.docker.internal.workspace.BoundWorkspace;
import io.maestro.docker.internal.workspace.MappedUser;
import io.maestro.docker.internal.workspace.VolumeWorkspace;
import io.maestro.docker.internal.workspace.WorkspaceTransport;
import io.maestro.environment.EnvironmentProject;
import io.maestro.environment.Phase;
import io.maestro.environment.Workplace;
import io.maestro.error.MaestroException;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gives attempts a place on an engine, and carries their workspace there. Safe for use by several threads. */
final class AttemptEngines {
    /** Where all of it is, in the project directory. */
    static final String STATE = ".maestro";

    /** Where compose stacks keep what they run. */
    static final String STACKS = "compose";

    /** Where is kept what workspaces in volumes need to stay in sync. */
    static final String SYNC = "sync";

    /** Where the sockets are by which containers reach names. */
    static final String EGRESS = "egress";

    private static final Logger LOG = LoggerFactory.getLogger(AttemptEngines.class);

    private final Settings settings;
    private final Engines engines;
    private final ProjectImages images;
    private final Map<String, String> variables = new LinkedHashMap<>();
    private final Path state;
    private final BindProbe probe;
    private final EnvironmentProject project;

    AttemptEngines(EnvironmentProject project, Settings settings, Engines engines, ProjectImages images) {
        this.settings = settings;
        this.engines = engines;
        this.images = images;
        this.project = project;
        this.state = project.directory().resolve(STATE);
        this.probe = new BindProbe(state);
        project.variables().forEach((name, value) -> {
            if (name.matches("[A-Za-z_][A-Za-z0-9_]*")) {
                variables.put(name, value);
            } else {
                LOG.warn("the variable '{}' is not passed on: no shell could set it", name);
            }
        });
    }

    /**
     * A place for an attempt.
     *
     * @param containers the ids of the agent's containers, whenever it is asked
     * @throws io.maestro.docker.DockerUnavailableException when no engine answers
     */
    AttemptEngine take(Workplace place, MountTargets places, Supplier<List<String>> containers) {
        Engines.Lease lease = engines.lease(
                place.agentId(),
                engine -> place.equipment().keepsState() && StateVolume.isOn(engine, place),
                engine -> lacks(engine, place));
        boolean good = false;
        try {
            Engine engine = lease.engine();
            String user = settings.container().user().orElseGet(() -> MappedUser.of(place.directory(), engine.facts()));
            WorkspaceTransport transport = transport(engine, place, place.directory(), user);
            AttemptNetworks networks = new AttemptNetworks(
                    engine,
                    place,
                    user,
                    () -> images.safe(engine).id(),
                    () -> probe.isHere(engine, images.safe(engine).id()),
                    project);
            ContainerExtras extras = new ContainerExtras(
                    engine,
                    settings,
                    place,
                    user,
                    () -> images.safe(engine).id(),
                    () -> probe.isHere(engine, images.safe(engine).id()),
                    networks);
            AttemptServices services = new AttemptServices(
                    () -> new ComposeStack(
                            engine.cli(),
                            engine.instance(),
                            place.agentId(),
                            stack(
                                    place,
                                    place.directory(),
                                    transport,
                                    user,
                                    () -> containers.get().stream()
                                            .map(networks::guest)
                                            .toList(),
                                    images(
                                            name -> images.find(engine, place, name),
                                            (build, labels) -> images.builds().build(engine, place, build, labels)))),
                    (checkout, files) -> ComposeStack.forTests(
                            engine.cli(),
                            engine.instance(),
                            place.agentId(),
                            stack(
                                    place,
                                    checkout,
                                    files,
                                    user,
                                    List::of,
                                    // For what is judged: nothing that an agent has built.
                                    images(
                                            name -> images.findForReview(engine, name),
                                            (build, labels) ->
                                                    images.builds().buildForReview(engine, place, build, labels)))),
                    settings.compose().timeLimit(),
                    transport,
                    networks,
                    lease);
            Map<String, String> others =
                    new LinkedHashMap<>(settings.container().variables());
            others.putAll(variables);
            BiFunction<Phase, List<String>, Map<String, String>> told =
                    (phase, names) -> networks.environment(settings.network(phase), others, names);
            AttemptEngine attemptEngine = new AttemptEngine(
                    engine,
                    new PhaseSpecs(settings, place, places, transport, user, extras, networks),
                    extras,
                    new AttemptExecutors(engine, transport, variables, told, services::names),
                    checkout -> transport(engine, place, checkout, user),
                    services,
                    networks,
                    disks(engine, place, transport));
            good = true;
            return attemptEngine;
        } finally {
            if (!good) {
                lease.close();
            }
        }
    }

    /** Why an engine cannot run an agent, as one that is not on this machine may not; empty when it can. */
    private Optional<String> lacks(Engine engine, Workplace place) {
        boolean reads = !place.readable().isEmpty();
        boolean sockets = place.equipment().sockets().isPresent();
        boolean names = (reads ? List.of(Phase.ARCHITECT) : List.of(Phase.PLANNING, Phase.CODING))
                        .stream().anyMatch(phase -> settings.network(phase).hasNames())
                || !reads && settings.container().testNetwork().hasNames();
        if (!reads && !sockets && !names) {
            return Optional.empty();
        }
        String image = images.safe(engine).id();
        String who = engine.cli().host().name() + " cannot run " + place.agentId() + ", since ";
        if (reads && !probe.works(engine, image)) {
            return Optional.of(who + "it does not see the directories " + place.readable() + " of this machine");
        }
        if ((sockets || names) && !probe.isHere(engine, image)) {
            return Optional.of(who + "it is in a virtual machine or elsewhere, and "
                    + (sockets
                            ? "the agent's program talks to sockets of this machine; add an engine of this machine, or"
                                    + " set the program's key to environment and a network for planning"
                            : "a network with names is reached over a socket of this machine; add an engine of this"
                                    + " machine, or set the network to open or none"));
        }
        return Optional.empty();
    }

    private Disks disks(Engine engine, Workplace place, WorkspaceTransport transport) {
        DiskUse use = new DiskUse(engine, place.agentId());
        List<FileStore> stores = new ArrayList<>();
        try {
            stores.add(Files.getFileStore(state));
            if (engine.facts().storage().isPresent()) {
                stores.add(Files.getFileStore(engine.facts().storage().get()));
            }
        } catch (IOException e) {
            LOG.warn("how much is free on a disk is not known: {}", e.toString());
        }
        return new Disks(
                settings.disk(),
                () -> use.measure(transport.mount(true), images.safe(engine).id()),
                () -> Disks.free(stores),
                use::pause,
                use::resume);
    }

    /**
     * Removes what an attempt has kept: its state, and the images that it has built. Its containers are gone.
     *
     * @param attemptEngine where it was; null where it was given none in this life, so that each engine may have something. What fails
     *     there is left to the next start
     */
    void removeKept(Workplace place, @Nullable AttemptEngine attemptEngine) {
        if (attemptEngine != null) {
            removeKept(place, attemptEngine.engine());
            return;
        }
        for (Engine engine : engines.all()) {
            try {
                removeKept(place, engine);
            } catch (MaestroException e) {
                LOG.warn("what {} has kept is removed later: {}", place.agentId(), e.getMessage());
            }
        }
    }

    private void removeKept(Workplace place, Engine engine) {
        Failures failures = new Failures();
        if (place.equipment().keepsState()) {
            failures.attempt(() -> StateVolume.remove(engine, place));
        }
        String story = place.storyId();
        if (story != null) {
            failures.attemptUnlessDown(() -> images.removeUnpinned(engine, story::equals));
        }
        failures.throwFirst();
    }

    private StackOwner stack(
            Workplace place,
            Path directory,
            WorkspaceTransport transport,
            String user,
            Supplier<List<String>> containers,
            StackImages stackImages) {
        ComposeRules rules = ComposeRules.standard()
                .with(settings.compose().publishPorts(), settings.compose().containerNames())
                .atMost(settings.compose().limits(), settings.compose().containers())
                .confined(settings.network(Phase.CODING).isConfined());
        return new StackOwner(
                directory,
                transport.mount(false),
                user,
                state.resolve(STACKS),
                rules,
                Optional.ofNullable(place.storyId()),
                containers,
                stackImages);
    }

    private StackImages images(Function<String, Image> find, BiConsumer<StackImages.Build, Map<String, String>> build) {
        return new StackImages() {
            @Override
            public KnownSecrets secrets() {
                return images.builds().secrets();
            }

            @Override
            public String find(String name) {
                return find.apply(name).id();
            }

            @Override
            public void build(Build asked, Map<String, String> labels) {
                build.accept(asked, labels);
            }
        };
    }

    private WorkspaceTransport transport(Engine engine, Workplace place, Path directory, String user) {
        if (!isBound(engine, !place.readable().isEmpty())) {
            if (!place.readable().isEmpty()) {
                throw new DockerException(
                        "the engine " + engine.cli().host().name() + " does not see the directories that "
                                + place.agentId() + " reads, " + place.readable()
                                + "; only an engine of this machine can run it",
                        null);
            }
            return new VolumeWorkspace(
                    engine,
                    images.safe(engine).id(),
                    place.agentId(),
                    user,
                    directory,
                    state.resolve(SYNC),
                    VolumeWorkspace.DEFAULT_LIMIT);
        }
        return new BoundWorkspace(directory);
    }

    /** Whoever only reads the directories of others has no workspace that could travel. */
    private boolean isBound(Engine engine, boolean reader) {
        return settings.engines().workspace() == WorkspaceMode.BIND
                || (settings.engines().workspace() == WorkspaceMode.AUTO || reader)
                        && probe.works(engine, images.safe(engine).id());
    }
}
