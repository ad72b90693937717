package io.maestro.docker.internal;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.docker.ContainerSpec;
import io.maestro.docker.DockerException;
import io.maestro.docker.ImageBuild;
import io.maestro.docker.internal.Inspector.ObjectKind;
import io.maestro.exec.ExecResult;
import io.maestro.internal.Uninterrupted;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one instance does on one engine. The only place where containers, images, volumes and networks are made: each gets
 * the instance's labels. Safe for use by several threads.
 */
public final class Engine {
    private static final Logger LOG = LoggerFactory.getLogger(Engine.class);

    private static final Duration COPY = Duration.ofMinutes(10);

    private final DockerCli cli;
    private final Instance instance;
    private final Inspector inspector;
    private final Remover remover;
    private final Starter starter;
    private final ImageBuilder builder;
    private final AtomicReference<@Nullable EngineFacts> facts = new AtomicReference<>();

    /** The engine that a client reaches. */
    public Engine(DockerCli cli, Instance instance) {
        this.cli = cli;
        this.instance = instance;
        this.inspector = new Inspector(cli);
        this.remover = new Remover(cli, inspector, DockerCli.QUICK);
        this.starter = new Starter(this);
        this.builder = new ImageBuilder(this);
    }

    /** Its client. */
    public DockerCli cli() {
        return cli;
    }

    /** Whose work it does. */
    public Instance instance() {
        return instance;
    }

    /** Whether it has said what it is, and so has answered once. */
    public boolean isKnown() {
        return facts.get() != null;
    }

    /** What the engine says about itself; asked for once. What it cannot do, the host is told then, in the log. */
    public EngineFacts facts() {
        EngineFacts known = facts.get();
        if (known == null) {
            known = Uninterrupted.get(() -> EngineFacts.ask(cli));
            if (facts.compareAndSet(null, known)) {
                known.warnings()
                        .forEach(warning -> LOG.warn(
                                "the engine of {} warns: {}", cli.host().name(), warning));
            }
        }
        return known;
    }

    Inspector inspector() {
        return inspector;
    }

    Remover remover() {
        return remover;
    }

    /**
     * Makes and starts a container under a unique name, and checks that it runs and a shell in it answers.
     *
     * @param agentId whom it is for
     * @return the container, running
     * @throws io.maestro.docker.ContainerStartException when it cannot be made, ends at once or has no shell, with what it
     *     logged; nothing of it is left then
     */
    public Container start(String agentId, ContainerSpec spec) {
        return starter.start(agentId, spec, null, Container.Grants.NONE);
    }

    /** The same with what a host has allowed it beyond its description. */
    public Container start(String agentId, ContainerSpec spec, Container.Grants grants) {
        return starter.start(agentId, spec, null, grants);
    }

    /**
     * The same in the network of another container, which runs, whatever the description says; it has no name and no hosts of its
     * own then.
     *
     * @param other null for the network of the description
     */
    public Container start(String agentId, ContainerSpec spec, @Nullable Container other) {
        return starter.start(agentId, spec, other, Container.Grants.NONE);
    }

    /** Stops a container: by TERM, and two seconds later by KILL. Fine when it does not run. */
    public void stop(Container container) {
        remover.stop(container.id(), instance.id());
    }

    /** Removes a container with its anonymous volumes; fine when it is gone already, refused when it is not this instance's. */
    public void remove(Container container) {
        remover.remove(ObjectKind.CONTAINER, container.id(), instance.id());
    }

    /** Removes a container that may be there, by its id or name; fine when it is not, refused when it is another's. */
    public void removeContainer(String idOrName) {
        remover.remove(ObjectKind.CONTAINER, idOrName, instance.id());
    }

    /** Whether it runs. */
    public boolean isRunning(Container container) {
        return inspector
                .find(ObjectKind.CONTAINER, container.id())
                .map(object -> object.path("State").path("Running").asBoolean())
                .orElse(false);
    }

    /** What the engine says of a container of this instance; empty when it is gone. */
    public Optional<JsonNode> describe(Container container) {
        return inspector.find(ObjectKind.CONTAINER, container.id());
    }

    /** The last lines of what a container's own process printed, on both streams. */
    public String logs(Container container, int lines) {
        return logs(container.id(), lines);
    }

    String logs(String id, int lines) {
        ExecResult result = cli.run("logs", "--tail", Integer.toString(lines), id);
        if (!result.succeeded()) {
            throw cli.failure(result, "logs", id);
        }
        return result.stdout().text() + result.stderr().text();
    }

    /**
     * Looks an image up on the engine; nothing is pulled.
     *
     * @return empty when it is not there
     */
    public Optional<Image> image(String name) {
        if (!ContainerSpec.isImageName(name)) {
            return Optional.empty();
        }
        return inspector.find(ObjectKind.IMAGE, name).map(Engine::image);
    }

    private static Image image(JsonNode object) {
        return new Image(
                Inspector.imageId(object.path("Id").asText()), Json.texts(Inspector.labels(ObjectKind.IMAGE, object)));
    }

    /**
     * Builds an image with this instance's label.
     *
     * @throws io.maestro.docker.ImageBuildException when its files are not in its root, its name is another's, or the build
     *     fails, takes too long or is cancelled, with what it printed
     */
    public Image build(ImageBuild build) {
        return builder.build(build);
    }

    /**
     * The same from files that are not trusted.
     *
     * @throws IllegalArgumentException when the Dockerfile asks for what it does not get, in words that go on after its name
     * @throws io.maestro.docker.ImageBuildException as {@link #build(ImageBuild)}
     */
    public Image build(ImageBuild build, BuildConfinement confinement) {
        return builder.build(build, confinement);
    }

    ImageBuilder builder() {
        return builder;
    }

    /**
     * An image with more in it than its base: the commands are run as root while it is built, so that no container needs
     * capabilities. Built once for a base and commands, and shared by all instances; a failed set-up leaves nothing.
     *
     * @param baseImage a name or an id; it must be there
     * @param setUpCommands lines for the shell, no secrets: whoever has the image can read them
     */
    public Image derive(String baseImage, List<String> setUpCommands) {
        return new DerivedImage(this, baseImage, setUpCommands).ensure();
    }

    /** The images that this instance has built. */
    public List<Image> images() {
        return all(ObjectKind.IMAGE, Engine::image);
    }

    /**
     * Makes an image of a container's files, with this instance's label and none of the container's.
     *
     * @param labels beside those that say whose it is
     * @return the image's id
     */
    public String commit(Container container, String tag, Map<String, String> labels) {
        Map<String, String> all = new LinkedHashMap<>();
        Labels.NOT_OF_IMAGES.forEach(label -> all.put(label, ""));
        all.putAll(labels);
        all.put(Labels.BUILT_BY, instance.id());
        List<String> words = new ArrayList<>(List.of("commit"));
        all.forEach((key, value) -> words.addAll(List.of("--change", "LABEL " + key + "=\"" + value + "\"")));
        variables(container).forEach(name -> words.addAll(List.of("--change", "ENV " + name + "=")));
        words.addAll(List.of(container.id(), tag));
        ExecResult result = Uninterrupted.get(
                () -> cli.run(cli.command(words).timeLimit(COPY).build()));
        if (!result.succeeded()) {
            throw cli.failure(result, "commit", container.name());
        }
        return image(tag).map(Image::id).orElseThrow();
    }

    /**
     * Fetches an image without the logins of the engine's user, as whoever names it may not see what these open.
     *
     * @return empty where it cannot be had so
     */
    public Optional<Image> pullAnonymously(String name, Duration limit) {
        boolean pulled = BuildDirectory.use(
                cli.directory(),
                own -> cli.run(cli.confined(List.of("pull", "--quiet", "--", name), own)
                                .timeLimit(limit)
                                .build())
                        .succeeded());
        return pulled ? image(name) : Optional.empty();
    }

    /** The names of the images of a repository, each with its tag. */
    public List<String> imageNames(String repository) {
        return inspector.imageNames(repository);
    }

    /** The names of the variables that a container has and its image has not. */
    private Set<String> variables(Container container) {
        Set<String> lines = new LinkedHashSet<>();
        inspector
                .find(ObjectKind.CONTAINER, container.id())
                .ifPresent(object -> object.path("Config").path("Env").forEach(line -> lines.add(line.asText())));
        inspector
                .find(ObjectKind.IMAGE, container.imageId())
                .ifPresent(object -> object.path("Config").path("Env").forEach(line -> lines.remove(line.asText())));
        return lines.stream()
                .map(line -> line.substring(0, Math.max(0, line.indexOf('='))))
                .filter(name -> name.matches("[A-Za-z_][A-Za-z0-9_]*") && !name.equals("PATH"))
                .collect(Collectors.toSet());
    }

    /** Removes an image with all its names; fine when it is gone, refused when this instance has not built it. */
    public void removeImage(String id) {
        remover.remove(ObjectKind.IMAGE, id, instance.id());
    }

    /**
     * Makes an empty volume under a unique name.
     *
     * @param labels beside those that say whose it is
     */
    public Volume createVolume(String agentId, String role, Map<String, String> labels) {
        return createVolume(instance.uniqueName(agentId, role), agentId, role, labels);
    }

    /**
     * Makes an empty volume. Where there is one of that name, engines leave it as it is, and it is returned: its labels say
     * whose it is.
     *
     * @param labels beside those that say whose it is
     */
    public Volume createVolume(String name, String agentId, String role, Map<String, String> labels) {
        create(name, labels(agentId, role, labels), List.of("volume", "create"));
        return Uninterrupted.get(() -> find(ObjectKind.VOLUME, name, Engine::volume));
    }

    /** Looks a volume up, whoever has made it. */
    public Optional<Volume> volume(String name) {
        return inspector.find(ObjectKind.VOLUME, name).map(Engine::volume);
    }

    /** Whether a volume is there, whoever has made it. */
    public boolean hasVolume(String name) {
        return inspector.find(ObjectKind.VOLUME, name).isPresent();
    }

    /** Removes a volume; fine when it is gone already, refused when it is not this instance's or in use. */
    public void removeVolume(String name) {
        remover.remove(ObjectKind.VOLUME, name, instance.id());
    }

    /** All volumes of this instance, of all its lives. */
    public List<Volume> volumes() {
        return all(ObjectKind.VOLUME, Engine::volume);
    }

    /**
     * Makes a bridge network under a unique name, whose containers reach each other nowhere but through the machine.
     *
     * @param labels beside those that say whose it is
     * @throws DockerException when the engine has no addresses left, or fails
     */
    public Network createNetwork(String agentId, String role, Map<String, String> labels) {
        return createNetwork(
                agentId,
                role,
                labels,
                facts().podman() ? List.of() : List.of("--opt", "com.docker.network.bridge.enable_icc=false"));
    }

    /**
     * Makes a bridge network under a unique name, whose containers reach each other by their names.
     *
     * @param labels beside those that say whose it is
     * @param inside whether they reach nothing else
     */
    public Network createSharedNetwork(String agentId, String role, Map<String, String> labels, boolean inside) {
        List<String> options = new ArrayList<>();
        if (inside) {
            options.add("--internal");
            if (!facts().podman()) {
                // Else the bridge has an address, by which the machine's own services are reached.
                options.addAll(List.of("--opt", "com.docker.network.bridge.inhibit_ipv4=true"));
            }
        }
        return createNetwork(agentId, role, labels, options);
    }

    private Network createNetwork(String agentId, String role, Map<String, String> labels, List<String> options) {
        String name = instance.uniqueName(agentId, role);
        List<String> words = new ArrayList<>(List.of("network", "create", "--driver", "bridge"));
        words.addAll(options);
        if (facts().podman() && isolates()) {
            words.addAll(List.of("--opt", "isolate=true"));
        }
        Map<String, String> all = labels(agentId, role, labels);
        String id;
        try {
            id = create(name, all, words);
        } catch (DockerException e) {
            if (String.valueOf(e.getMessage()).contains("address pool")) {
                throw new DockerException(
                        "the engine of " + cli.host().name() + " has no addresses left for a network of " + agentId
                                + "; remove networks that nobody uses (docker network prune), or give it more addresses"
                                + " (default-address-pools in its daemon.json): " + e.getMessage(),
                        e);
            }
            throw e;
        }
        remover.made(name);
        // Podman says the name.
        return facts().podman()
                ? Uninterrupted.get(() -> find(ObjectKind.NETWORK, name, Network::of))
                : new Network(id, name, all);
    }

    /** Whether containers of a network that is made here cannot reach those of another one. */
    public boolean isolates() {
        return !facts().podman() || facts().atLeast(4, 3);
    }

    /** Whether a network leads nowhere but to its containers. */
    public boolean isInternal(String network) {
        return inspector
                .find(ObjectKind.NETWORK, network)
                .filter(object -> object.path("Internal").asBoolean()
                        || object.path("internal").asBoolean())
                .isPresent();
    }

    /** Whether containers of a network find each other by their names; podman needs a plug-in for that. */
    public boolean resolvesNames(String network) {
        return inspector
                .find(ObjectKind.NETWORK, network)
                .map(object -> object.path("dns_enabled").asBoolean(true))
                .orElse(true);
    }

    /** The address of a container in a network; empty when it has none there. */
    public Optional<String> address(Container container, String network) {
        return describe(container)
                .map(object -> object.path("NetworkSettings")
                        .path("Networks")
                        .path(network)
                        .path("IPAddress")
                        .asText())
                .filter(address -> !address.isEmpty());
    }

    /** Whether a network is there, whoever has made it. */
    public boolean hasNetwork(String name) {
        return inspector.find(ObjectKind.NETWORK, name).isPresent();
    }

    /** Removes a network; fine when it is gone already, refused when it is not this instance's or in use. */
    public void removeNetwork(String idOrName) {
        remover.remove(ObjectKind.NETWORK, idOrName, instance.id());
    }

    /** All networks of this instance, of all its lives. */
    public List<Network> networks() {
        return all(ObjectKind.NETWORK, Network::of);
    }

    /**
     * The address by which containers on a network reach the machine that they run on.
     *
     * @param network {@code none}, {@code bridge} or the name of a network
     * @return empty when the engine's machine is not on that network
     */
    public Optional<InetAddress> gateway(String network) {
        return Gateway.of(inspector, facts(), network);
    }

    /** The container whose network a container has: its own id, or the one of another. */
    public String networkOwner(String containerId) {
        return inspector
                .find(ObjectKind.CONTAINER, containerId)
                .map(object -> object.path("HostConfig").path("NetworkMode").asText())
                .filter(mode -> mode.startsWith("container:"))
                .map(mode -> mode.substring("container:".length()))
                .orElse(containerId);
    }

    /** Where the ports of a container are published, one a line, for a log. */
    public String publishedPorts(Container container) {
        return cli.output("port", container.id());
    }

    /** Attaches a container to a network, or does nothing when it is. */
    public void connect(Container container, String network) {
        ExecResult result = cli.run("network", "connect", "--", network, container.id());
        if (!result.succeeded() && !result.stderr().text().contains("already")) {
            throw cli.failure(result, "network", "connect", network, container.name());
        }
    }

    /** Detaches a container from a network; fine when it is not attached, or one of them is gone. */
    public void disconnect(Container container, String network) {
        ExecResult result = cli.run("network", "disconnect", "--force", "--", network, container.id());
        if (!result.succeeded()
                && !Inspector.isMissing(result)
                && !result.stderr().text().contains("is not connected")) {
            throw cli.failure(result, "network", "disconnect", network, container.name());
        }
    }

    /**
     * Unpacks an archive in a container, running or not. Docker keeps the numbers of owners, podman gives all to root. Mounts
     * are reached, file systems in memory on docker are not.
     *
     * @param directory an absolute path in the container, existing
     * @param tar an uncompressed archive
     */
    public void copyIn(Container container, String directory, byte[] tar) {
        String target = container.id() + ":" + directory;
        ExecResult result = cli.run(cli.command(List.of("cp", "-", target))
                .stdin(tar)
                .timeLimit(COPY)
                .build());
        if (!result.succeeded()) {
            throw cli.failure(result, "cp", "-", target);
        }
    }

    /** All containers of this instance, of all its lives, running or not. */
    public List<Container> containers() {
        return all(ObjectKind.CONTAINER, Container::of);
    }

    private Map<String, String> labels(String agentId, String role, Map<String, String> others) {
        Map<String, String> all = new LinkedHashMap<>(others);
        all.putAll(instance.labels());
        all.put(Labels.AGENT, agentId);
        all.put(Labels.ROLE, role);
        return all;
    }

    private String create(String name, Map<String, String> labels, List<String> command) {
        List<String> words = new ArrayList<>(command);
        labels.forEach((key, value) -> words.addAll(List.of("--label", key + "=" + value)));
        words.add(name);
        // An engine goes on without its client.
        return Uninterrupted.get(() -> cli.output(words.toArray(String[]::new)));
    }

    /** The ids of those that are an agent's. */
    public List<String> containers(String agentId) {
        return ofAgent(ObjectKind.CONTAINER, agentId);
    }

    /** The ids of those that are an agent's. */
    public List<String> networks(String agentId) {
        return ofAgent(ObjectKind.NETWORK, agentId);
    }

    private List<String> ofAgent(ObjectKind kind, String agentId) {
        return inspector.labelled(kind, Labels.instance(kind) + "=" + instance.id(), Labels.AGENT + "=" + agentId);
    }

    private <T> T find(ObjectKind kind, String name, Function<JsonNode, T> reader) {
        return inspector
                .find(kind, name)
                .map(reader)
                .orElseThrow(() -> new DockerException(
                        "the " + kind.word() + " " + name + " on " + cli.host().name()
                                + " was removed by somebody else as soon as it was made",
                        null));
    }

    private <T> List<T> all(ObjectKind kind, Function<JsonNode, T> reader) {
        List<String> ids = inspector.labelled(kind, Labels.instance(kind) + "=" + instance.id());
        return inspector.all(kind, ids).stream().map(reader).toList();
    }

    private static Volume volume(JsonNode object) {
        return new Volume(
                Remover.id(ObjectKind.VOLUME, object),
                Json.texts(Inspector.labels(ObjectKind.VOLUME, object)),
                Inspector.time(object.path("CreatedAt").asText()));
    }
}
