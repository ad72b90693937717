package io.maestro.docker.internal.sandbox;

import io.maestro.docker.ClonedRepository;
import io.maestro.docker.ContainerLimits;
import io.maestro.docker.ContainerRequest;
import io.maestro.docker.ContainerRules;
import io.maestro.docker.ContainerSpec;
import io.maestro.docker.ContainerStartException;
import io.maestro.docker.DockerException;
import io.maestro.docker.DockerExecutor;
import io.maestro.docker.Mount;
import io.maestro.docker.Purpose;
import io.maestro.docker.RunningContainer;
import io.maestro.docker.internal.Container;
import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.Image;
import io.maestro.docker.internal.Labels;
import io.maestro.docker.internal.egress.UntrustedNames;
import io.maestro.docker.internal.environment.CacheVolumes;
import io.maestro.docker.internal.sandbox.Provisioner.Who;
import io.maestro.docker.internal.sandbox.Steps.Outcome;
import io.maestro.docker.internal.workspace.MappedUser;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes one container, from a look at what it is for to its last step. What it does not complete it leaves nothing of. */
final class SandboxMaker {
    private static final Logger LOG = LoggerFactory.getLogger(SandboxMaker.class);
    private static final String ROOT_HOME = "/root";
    private static final String HOME = "/home/maestro";
    private static final String LOOK_DIRECTORY = "/look";
    private static final int TRIES = 3;
    private static final Duration INSTALL = Duration.ofMinutes(10);

    private final Sandboxes sandboxes;
    private final Engine engine;
    private final ContainerRules rules;
    private final HostUser host;
    private final ContainerRequest request;
    private final String name;
    private final Steps steps;

    SandboxMaker(Sandboxes sandboxes, ContainerRequest request, String name, Steps steps) {
        this.sandboxes = sandboxes;
        this.engine = sandboxes.engine();
        this.rules = sandboxes.rules();
        this.host = sandboxes.host();
        this.request = request;
        this.name = name;
        this.steps = steps;
    }

    /**
     * What is decided before anything runs.
     *
     * @param purpose what is installed
     * @param image what it is made from
     * @param tried what is tried in it; null for nothing
     * @param trusted whether the host hands anything over unasked
     * @param who as whom commands run
     * @param given what the host hands over
     */
    private record Plan(
            Optional<Purpose> purpose,
            Images.FoundImage image,
            @Nullable TriedRepository tried,
            boolean trusted,
            Who who,
            PassedVariables given) {}

    /**
     * Makes it.
     *
     * @throws IllegalArgumentException when the rules do not allow it
     */
    Sandbox make() {
        require();
        for (int left = TRIES - 1; ; left--) {
            try {
                return make(plan());
            } catch (ContainerStartException e) {
                // The images of purposes are all instances', and any of these may clear them after it was found here.
                if (e.reason() != ContainerStartException.Reason.IMAGE_MISSING || left == 0) {
                    throw e;
                }
                LOG.info("{}: {}; it is looked for again", name, e.getMessage());
            }
        }
    }

    private Sandbox make(Plan plan) {
        ContainerSpec.Builder spec = spec(plan);
        String network = sandboxes.network(request.network().orElse("bridge"));
        if (!network.equals("host")) {
            spec.network(network);
        }
        List<String> caches = caches(plan, spec);
        Deque<Runnable> undo = new ConcurrentLinkedDeque<>();
        boolean done = false;
        @Nullable Container container = null;
        try {
            if (request.ssh() && host.sshAgent().isPresent()) {
                SshAgent agent = SshAgent.of(
                        host.sshAgent().get(), plan.who().user(), engine.facts().rootless());
                sandboxes.state().add(agent);
                undo.push(() -> sandboxes.state().end(agent));
                spec.mount(agent.mount());
            }
            Container.Grants grants = new Container.Grants(
                    true,
                    request.privileged(),
                    network.equals("host"),
                    request.gpu(),
                    request.ports(),
                    request.imageProgram(),
                    name,
                    isNamed(network) && engine.isInternal(network));
            Container made =
                    steps.need("container", () -> started(spec, grants, undo), it -> "runs from " + it.imageId());
            container = made;
            for (Runnable step = undo.pollLast(); step != null; step = undo.pollLast()) {
                sandboxes.state().onEnd(made.id(), step);
            }
            Sandbox sandbox = provisioned(made, plan, caches, isNamed(network) ? network : "");
            sandboxes.requireNotEnded();
            sandboxes.state().requireThere(made.id());
            done = true;
            return sandbox;
        } finally {
            if (!done) {
                SandboxState.undo(undo);
                if (container != null) {
                    sandboxes.state().forget(container.id());
                }
            }
        }
    }

    /** Whether it is a network that somebody has created. */
    private static boolean isNamed(String network) {
        return !List.of("none", "bridge", "host").contains(network);
    }

    /** A cancel may come as soon as it runs. */
    private Container started(ContainerSpec.Builder spec, Container.Grants grants, Deque<Runnable> undo) {
        Container made = engine.start(sandboxes.owner(), spec.build(), grants);
        undo.push(() -> sandboxes.view(made).remove());
        return made;
    }

    private void require() {
        requireAllowed(request.privileged(), rules.allowPrivileged(), "privileged", "allowPrivileged");
        requireAllowed(request.gpu(), rules.allowGpu(), "gpu", "allowGpu");
        requireAllowed(
                request.network().filter("host"::equals).isPresent(),
                rules.allowHostNetwork(),
                "the host's network",
                "allowHostNetwork");
        requireAllowed(
                request.hosts().values().stream().anyMatch(UntrustedNames::isMachine),
                rules.allowHostNetwork(),
                "host-gateway, which reaches services of the machine,",
                "allowHostNetwork");
        requireAllowed(
                request.user().filter(user -> user.startsWith("0:")).isPresent(),
                rules.allowRoot(),
                "root as the user of commands",
                "allowRoot");
        for (Mount mount : request.mounts()) {
            Path target = Path.of(mount.target()).normalize();
            for (String home : List.of(ROOT_HOME, HOME)) {
                if (target.startsWith(home) || Path.of(home).startsWith(target)) {
                    throw new IllegalArgumentException(
                            "nothing is mounted at " + target + ", where a home directory is made; "
                                    + "mount it elsewhere, for example below " + ContainerRequest.WORKSPACE);
                }
            }
        }
        request.limits().ifPresent(asked -> {
            ContainerLimits most = rules.limits();
            if (asked.cpus() > most.cpus() || asked.memoryBytes() > most.memoryBytes() || asked.pids() > most.pids()) {
                throw new IllegalArgumentException(
                        "the limits " + asked + " are more than the rules allow, which is " + most);
            }
        });
    }

    private static void requireAllowed(boolean asked, boolean allowed, String what, String rule) {
        if (asked && !allowed) {
            throw new IllegalArgumentException(
                    what + " is not allowed here; whoever sets the rules allows it by " + rule);
        }
    }

    private Plan plan() {
        @Nullable
        TriedRepository tried = request.tryRepository()
                .map(url -> steps.need(
                        "look",
                        () -> look(url),
                        it -> "the repository is one of " + it.kind().purpose()))
                .orElse(null);
        Optional<Purpose> purpose = tried == null
                ? request.purpose().map(rules::purpose)
                : Optional.of(rules.purpose(tried.kind().purpose()).untrusted());
        Optional<Image> snapshot = request.snapshot().map(this::snapshot);
        Images.FoundImage image = steps.need(
                "image",
                () -> image(purpose, snapshot, tried),
                found -> purpose.filter(it -> found.installed() && !it.setUp().isEmpty())
                        .map(it -> it.name() + (found.cached() ? ", installed before" : ", installed now"))
                        .orElse(found.id()));
        boolean trusted = !image.isStrange() && purpose.map(Purpose::trusted).orElse(true);
        PassedVariables given = PassedVariables.of(request, host, trusted, rules.passPatterns());
        return new Plan(purpose, image, tried, trusted, who(), given);
    }

    private Image snapshot(String asked) {
        return sandboxes
                .images()
                .snapshot(asked)
                .orElseThrow(() -> new IllegalArgumentException("there is no snapshot '" + asked + "'; there are "
                        + sandboxes.images().snapshots()));
    }

    private Images.FoundImage image(
            Optional<Purpose> purpose, Optional<Image> snapshot, @Nullable TriedRepository tried) {
        Images images = sandboxes.images();
        if (snapshot.isPresent()) {
            return images.named(snapshot.get());
        }
        if (request.image().isPresent()) {
            return images.named(
                    images.notSnapshot(images.present(request.image().get())));
        }
        if (tried != null && tried.image().isPresent()) {
            return images.named(images.present(tried.image().get()));
        }
        return purpose.isPresent()
                ? images.of(purpose.get(), request.freshImage(), oldest())
                : images.named(images.trusted(rules.image()));
    }

    private ContainerSpec.Builder spec(Plan plan) {
        ContainerSpec.Builder spec = ContainerSpec.builder(plan.image().id(), Sandboxes.ROLE)
                .limits(request.limits().orElse(rules.limits()))
                .workingDirectory("/")
                .user("0:0")
                .tmpfs(Variables.DIRECTORY, "mode=0755,size=32m")
                .label(Labels.NAME, name)
                .label(Labels.USER, plan.who().user())
                .label(Labels.PURPOSE, request.purpose().orElse(""))
                .label(Labels.DIRECTORY, request.workingDirectory())
                .label(Labels.NETWORK, request.network().orElse("bridge"))
                .label(Labels.GIVEN, plan.given().names())
                .label(Labels.STRANGE, plan.trusted() ? "" : "yes")
                .label(Labels.KEEP, request.persistent() ? Labels.BOX : "");
        request.mounts().forEach(spec::mount);
        request.hosts().forEach(spec::addHost);
        if (request.imageProgram()) {
            request.environment().forEach(spec::environment);
        }
        return spec;
    }

    /** Where the engine resolves no names, the containers of a network are told each other's. */
    private Outcome introduced(Container container, String network) {
        String own = engine.address(container, network)
                .orElseThrow(() -> new DockerException("it has no address in its network", null));
        Map<String, String> others = new TreeMap<>();
        for (Sandbox other : sandboxes.list()) {
            Optional<String> address = engine.address(other.inside(), network);
            if (address.isPresent() && !other.inside().id().equals(container.id())) {
                others.put(other.name(), address.get());
                other.addHosts(Map.of(name, own));
            }
        }
        if (!others.isEmpty()) {
            new Sandbox(sandboxes, container, null, null).addHosts(others);
        }
        return Outcome.success("the engine resolves no names, so that it was told those of " + others.keySet());
    }

    /** @param network the engine's name of one that was created; empty for another */
    private Sandbox provisioned(Container container, Plan plan, List<String> caches, String network) {
        RunningContainer view = sandboxes.view(container);
        DockerExecutor root = view.executor(settings -> settings.user("0:0").workingDirectory("/"));
        Who who = plan.who();
        steps.run("user", () -> ContainerUsers.add(root, who, request.workingDirectory(), caches, request.mounts()));
        if (network.length() > 0 && !engine.resolvesNames(network)) {
            steps.run("network", () -> introduced(container, network));
        }
        plan.purpose()
                .filter(purpose -> !plan.image().installed() && !purpose.setUp().isEmpty())
                .ifPresent(purpose -> steps.run("profile", () -> install(root, purpose)));
        Optional<SandboxServices> services = SandboxServices.of(
                engine,
                rules,
                sandboxes.images(),
                request,
                new SandboxServices.Beside(sandboxes.owner(), name, container.id(), who.user()));
        services.ifPresent(it -> {
            sandboxes.state().onEnd(container.id(), it::end);
            steps.run("compose", it::start);
        });
        Provisioner provisioner = new Provisioner(
                request,
                host,
                plan.trusted(),
                who,
                root,
                new ContainerFiles(engine, container),
                plan.tried(),
                plan.given());
        DockerExecutor commands = provisioner.run(
                steps, variables -> Sandbox.executor(view, who.user(), request.workingDirectory(), variables));
        Sandbox sandbox = new Sandbox(
                sandboxes,
                container,
                new Sandbox.Parts(request.workingDirectory(), commands, root, provisioner.variables(), services),
                steps.report());
        sandboxes.state().known.put(container.id(), sandbox);
        return sandbox;
    }

    /** In the container, as nothing is built from an image that somebody names. */
    private static Outcome install(DockerExecutor root, Purpose purpose) {
        for (String line : purpose.setUp()) {
            ExecResult result =
                    root.run(ExecRequest.shell(line).timeLimit(INSTALL).build());
            if (!result.succeeded()) {
                return Outcome.failed("not all of " + purpose.name() + " is installed", Steps.why(result));
            }
        }
        return Outcome.success(purpose.name() + ", installed in the container, as its image was named");
    }

    /** Nothing of the host's is in the container that looks. */
    private TriedRepository look(String url) {
        Images.FoundImage image = sandboxes.images().of(rules.purpose(Purpose.TRY_REPO), false, oldest());
        ContainerSpec spec = ContainerSpec.builder(image.id(), Labels.LOOK)
                .limits(request.limits().orElse(rules.limits()))
                .network(sandboxes.network(request.network().orElse("bridge")))
                .user("0:0")
                .environment("HOME", LOOK_DIRECTORY)
                .build();
        Container clone = engine.start(sandboxes.owner(), spec);
        RunningContainer container = sandboxes.view(clone);
        String network = request.network().orElse("bridge");
        RepositoryImage built = new RepositoryImage(sandboxes, image.id(), network.equals("bridge"));
        try {
            ExecResult made = container
                    .executor()
                    .run(ExecRequest.shell("mkdir -m 1777 " + LOOK_DIRECTORY).build());
            if (!made.succeeded()) {
                throw new DockerException("no repository can be looked at: " + Steps.why(made), null);
            }
            String repository = new ClonedRepository(url, null, null).name();
            String at = LOOK_DIRECTORY + "/" + repository;
            return TriedRepository.look(
                    container.executor(settings -> settings.user("1000:1000")),
                    url,
                    repository,
                    at,
                    request.workingDirectory() + "/" + repository,
                    asked -> {
                        if (request.image().isPresent() || request.snapshot().isPresent()) {
                            throw new IllegalArgumentException("another image is asked for");
                        }
                        return asked.build().isPresent()
                                ? built.build(url, clone, at, asked.build().get())
                                : sandboxes.imageOfStrangers(asked.image().orElseThrow());
                    });
        } finally {
            container.remove();
        }
    }

    private Who who() {
        String user = request.user()
                .orElseGet(() -> request.mounts().stream()
                        .filter(mount -> mount.kind() == Mount.Kind.BIND && !mount.readOnly())
                        .findFirst()
                        .map(mount -> MappedUser.of(Path.of(mount.source()), engine.facts()))
                        .filter(owner -> !owner.startsWith("0:") || mayBeRoot())
                        .orElseGet(
                                () -> ordinary(MappedUser.of(engine.instance().project(), engine.facts()))));
        return new Who(user, user.startsWith("0:") ? ROOT_HOME : HOME);
    }

    /** On a rootless engine root is an ordinary user of the machine's. */
    private boolean mayBeRoot() {
        return rules.allowRoot()
                && (sandboxes.rootBesideMounts() || engine.facts().rootless());
    }

    /** Nothing that is mounted asks for root. */
    private static String ordinary(String user) {
        return user.startsWith("0:") ? "1000:1000" : user;
    }

    /** When what is kept may have been made. */
    private Instant oldest() {
        return Instant.now().minus(rules.cacheAge());
    }

    private List<String> caches(Plan plan, ContainerSpec.Builder spec) {
        Map<String, String> caches = new LinkedHashMap<>();
        String user = plan.who().user();
        if (request.caches()) {
            // Who may write to a cache decides what its next user runs.
            String kind = Sandboxes.ROLE + (plan.trusted() ? "-" : "-untrusted-") + user.replace(':', '-') + "-";
            plan.purpose()
                    .ifPresent(it -> it.caches()
                            .forEach((cache, path) ->
                                    caches.put(kind + cache, plan.who().home() + "/" + path)));
        }
        CacheVolumes volumes = new CacheVolumes(
                engine,
                sandboxes.owner(),
                user,
                caches,
                // What runs there is root's, and none of an image that a request names, or strangers.
                () -> sandboxes
                        .images()
                        .trusted(plan.purpose().orElseThrow().image())
                        .id(),
                new CacheVolumes.Keep(oldest(), rules.cacheBytes() >> 10));
        volumes.prepare();
        volumes.mounts().forEach(spec::mount);
        return List.copyOf(caches.values());
    }
}
