package io.maestro.docker.internal.sandbox;

import io.maestro.docker.ContainerRequest;
import io.maestro.docker.ContainerRules;
import io.maestro.docker.DockerException;
import io.maestro.docker.ProvisioningReport.Step;
import io.maestro.docker.RunningContainer;
import io.maestro.docker.internal.Container;
import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.Labels;
import io.maestro.docker.internal.Network;
import io.maestro.docker.internal.environment.CacheVolumes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes and finds the containers that one owner has asked for. The labels on the engine are the only record of them, so that none
 * is lost and nothing else is ever touched. Safe for use by several threads.
 */
public final class Sandboxes {
    /** The role of such containers. */
    public static final String ROLE = Labels.BOX;

    private static final Logger LOG = LoggerFactory.getLogger(Sandboxes.class);
    private static final String NETWORK = "box-net";
    private static final String BRIDGE = "bridge";

    private final Engine engine;
    private final String owner;
    private final ContainerRules rules;
    private final HostUser host;
    private final Function<Container, RunningContainer> running;
    private final SandboxNetwork reach;
    private final SandboxState state;
    private final Images images;
    private final boolean rootBesideMounts;
    private volatile boolean ended;

    /**
     * Makes none yet.
     *
     * @param owner whose they are; nobody else's are seen
     * @param running makes the public view of a container
     */
    public Sandboxes(
            Engine engine,
            String owner,
            ContainerRules rules,
            HostUser host,
            Function<Container, RunningContainer> running) {
        this(engine, owner, rules, host, running, SandboxNetwork.OF_RULES, new SandboxState(), true);
        state.watch(new LayerWatch(engine, rules.diskBytes(), state::ended));
    }

    /**
     * Makes none yet; its commands are nowhere root's where files of the host are mounted that can be changed.
     *
     * @param reach what they may reach
     */
    public Sandboxes(
            Engine engine,
            String owner,
            ContainerRules rules,
            HostUser host,
            Function<Container, RunningContainer> running,
            SandboxNetwork reach) {
        this(engine, owner, rules, host, running, reach, new SandboxState(), false);
    }

    private Sandboxes(
            Engine engine,
            String owner,
            ContainerRules rules,
            HostUser host,
            Function<Container, RunningContainer> running,
            SandboxNetwork reach,
            SandboxState state,
            boolean rootBesideMounts) {
        this.reach = reach;
        this.rootBesideMounts = rootBesideMounts;
        this.engine = engine;
        this.owner = owner;
        this.rules = rules;
        this.host = host;
        this.running = running;
        this.state = state;
        this.images = new Images(engine, owner, rules, reach.isAgents());
    }

    /**
     * The same for another owner.
     *
     * @param root whether commands may be root's where files of the host are mounted that can be changed
     */
    public Sandboxes of(String other, boolean root) {
        return new Sandboxes(engine, other, rules, host, running, reach, state, root);
    }

    boolean rootBesideMounts() {
        return rootBesideMounts;
    }

    /** Where they are. */
    public Engine engine() {
        return engine;
    }

    /** What may be asked for. */
    public ContainerRules rules() {
        return rules;
    }

    String owner() {
        return owner;
    }

    HostUser host() {
        return host;
    }

    SandboxNetwork reach() {
        return reach;
    }

    Images images() {
        return images;
    }

    /**
     * The id of an image that a model names.
     *
     * @throws IllegalArgumentException when it may not be used
     */
    public String imageOfStrangers(String name) {
        return images.ofStrangers(name).id();
    }

    SandboxState state() {
        return state;
    }

    RunningContainer view(Container container) {
        return running.apply(container);
    }

    /**
     * Makes a container.
     *
     * @param listener is told each step when it has ended
     * @throws IllegalArgumentException when the rules do not allow it, or its name is taken
     */
    public Sandbox create(ContainerRequest request, Consumer<Step> listener) {
        requireNotEnded();
        state.containerIsThere();
        String name = reserve(request.name());
        try {
            return new SandboxMaker(this, request, name, new Steps(listener)).make();
        } finally {
            beingMade().remove(name);
        }
    }

    private Set<String> beingMade() {
        return state.beingMade.computeIfAbsent(owner, any -> ConcurrentHashMap.newKeySet());
    }

    /** @throws IllegalStateException when their owner has ended: what is made now nobody would remove */
    void requireNotEnded() {
        if (ended || state.isClosed()) {
            throw new IllegalStateException("the containers of " + owner + " were ended; nothing is made any more");
        }
    }

    private String reserve(Optional<String> asked) {
        state.naming.lock();
        try {
            Set<String> taken = new TreeSet<>(beingMade());
            containers().forEach(container -> taken.add(nameOf(container)));
            if (taken.size() >= rules.maxContainers()) {
                throw new IllegalArgumentException("there are " + taken.size() + " containers, and no more than "
                        + rules.maxContainers() + " may be; destroy one that is not needed any more: "
                        + String.join(", ", taken));
            }
            if (asked.filter(taken::contains).isPresent()) {
                throw new IllegalArgumentException(
                        "there is a container '" + asked.get() + "' already; destroy it, or choose another name");
            }
            String name = asked.orElseGet(() -> IntStream.iterate(1, number -> number + 1)
                    .mapToObj(number -> ROLE + "-" + number)
                    .filter(free -> !taken.contains(free))
                    .findFirst()
                    .orElseThrow());
            beingMade().add(name);
            return name;
        } finally {
            state.naming.unlock();
        }
    }

    /**
     * Removes what the owner has made, and lets nothing more be made.
     *
     * @param keep which containers stay
     * @throws DockerException when something could not be removed, after all was tried
     */
    public void end(Predicate<Sandbox> keep) {
        ended = true;
        Deque<Runnable> removals = new ArrayDeque<>();
        snapshots().forEach(name -> removals.push(() -> tryRemoveSnapshot(name)));
        networkNames().forEach(name -> removals.push(() -> tryDestroyNetwork(name)));
        list().stream().filter(keep.negate()).forEach(container -> removals.push(container::destroy));
        SandboxState.undo(removals);
    }

    /** Lets nothing more be made, and ends what runs in this program for containers. */
    public void close() {
        state.close();
    }

    String network(String asked) {
        if (asked.equals(BRIDGE)) {
            return reach.bridge();
        }
        if (asked.equals("none") || asked.equals("host")) {
            return asked;
        }
        return network(asked, networks())
                .map(Network::name)
                .orElseThrow(() -> new IllegalArgumentException(
                        "there is no network '" + asked + "'; create it first, or use none or bridge"));
    }

    private static Optional<Network> network(String name, List<Network> networks) {
        return networks.stream()
                .filter(network -> name.equals(network.labels().get(Labels.NAME)))
                .findFirst();
    }

    /** All containers of the owner, running or not. */
    public List<Sandbox> list() {
        return containers().stream().map(this::sandbox).toList();
    }

    /**
     * The container of a name.
     *
     * @throws IllegalArgumentException when there is none; the message names those that there are
     */
    public Sandbox get(String name) {
        List<Container> all = containers();
        return all.stream()
                .filter(container -> nameOf(container).equals(name))
                .findFirst()
                .map(this::sandbox)
                .orElseThrow(() -> new IllegalArgumentException("there is no container '" + name + "'; "
                        + (all.isEmpty()
                                ? "there are none"
                                : "there are "
                                        + String.join(
                                                ", ",
                                                all.stream()
                                                        .map(Sandboxes::nameOf)
                                                        .sorted()
                                                        .toList()))));
    }

    private Sandbox sandbox(Container container) {
        state.containerIsThere();
        return state.known.computeIfAbsent(container.id(), id -> new Sandbox(this, container, null, null));
    }

    private List<Container> containers() {
        List<Container> all = engine.containers().stream()
                .filter(container ->
                        container.role().equals(ROLE) && container.agentId().equals(owner))
                .toList();
        forgetTheGone(all);
        return all;
    }

    /** What somebody else has removed takes with it what was made for it. */
    private void forgetTheGone(List<Container> there) {
        Set<String> ids = there.stream().map(Container::id).collect(Collectors.toSet());
        state.known.values().stream()
                .map(Sandbox::inside)
                .filter(container -> container.agentId().equals(owner) && !ids.contains(container.id()))
                .filter(container -> engine.describe(container).isEmpty())
                .forEach(container -> state.forget(container.id()));
    }

    static String nameOf(Container container) {
        return container.labels().getOrDefault(Labels.NAME, "");
    }

    private List<Network> networks() {
        return engine.networks().stream()
                .filter(network -> NETWORK.equals(network.labels().get(Labels.ROLE))
                        && owner.equals(network.labels().get(Labels.AGENT)))
                .toList();
    }

    /** The names of the owner's networks. */
    public List<String> networkNames() {
        return networks().stream()
                .map(network -> network.labels().getOrDefault(Labels.NAME, ""))
                .sorted()
                .toList();
    }

    /**
     * Makes a network in which containers reach each other by their names.
     *
     * @param inside whether they reach nothing else
     * @throws IllegalArgumentException when the name is none, or taken
     */
    public void createNetwork(String name, boolean inside) {
        if (!ContainerRequest.isName(name)
                || List.of("none", "bridge", "host", "default").contains(name)) {
            throw new IllegalArgumentException("'" + name + "' is no name for a network: lower-case letters, digits and"
                    + " dashes make one, and none, bridge, host and default are taken");
        }
        state.naming.lock();
        try {
            requireNotEnded();
            List<Network> there = networks();
            if (network(name, there).isPresent()) {
                throw new IllegalArgumentException("there is a network '" + name + "' already");
            }
            if (there.size() >= rules.maxContainers()) {
                throw new IllegalArgumentException("there are " + there.size()
                        + " networks, and no more may be; destroy one that is not needed any more");
            }
            engine.createSharedNetwork(owner, NETWORK, Map.of(Labels.NAME, name, Labels.KEEP, ""), inside);
        } finally {
            state.naming.unlock();
        }
    }

    /**
     * Removes a network.
     *
     * @throws IllegalArgumentException when there is none of that name
     */
    public void destroyNetwork(String name) {
        Network network = network(name, networks())
                .orElseThrow(() -> new IllegalArgumentException(
                        "there is no network '" + name + "'; there are " + networkNames()));
        engine.removeNetwork(network.id());
    }

    /** Removes a snapshot that no container is of. */
    private void tryRemoveSnapshot(String name) {
        try {
            removeSnapshot(name);
        } catch (DockerException e) {
            LOG.debug("the snapshot {} stays: {}", name, e.getMessage());
        }
    }

    /** Removes a network that nobody is in. */
    private void tryDestroyNetwork(String name) {
        try {
            destroyNetwork(name);
        } catch (DockerException e) {
            LOG.debug("the network {} stays: {}", name, e.getMessage());
        }
    }

    /** The names of all snapshots. */
    public List<String> snapshots() {
        return images.snapshots();
    }

    /** Removes a snapshot; fine when it is gone, refused when a container uses it. */
    public void removeSnapshot(String name) {
        images.removeSnapshot(name);
    }

    /**
     * Removes the images of a purpose, and its caches, or those of all.
     *
     * @return what was removed, by name
     */
    public List<String> clearCaches(Optional<String> purpose) {
        Collection<String> wanted =
                purpose.map(rules::purpose).map(it -> it.caches().keySet()).orElse(Set.of("[a-z0-9-]+"));
        Pattern names =
                Pattern.compile(".*-cache-" + ROLE + "-(untrusted-)?[0-9]+-[0-9]+-(" + String.join("|", wanted) + ")");
        List<String> removed = new ArrayList<>(images.clear(purpose));
        engine.volumes().stream()
                .filter(volume -> CacheVolumes.isOne(volume.labels())
                        && owner.equals(volume.labels().get(Labels.AGENT)))
                .filter(volume -> names.matcher(volume.name()).matches())
                .forEach(volume -> {
                    engine.removeVolume(volume.name());
                    removed.add(volume.name());
                });
        return removed;
    }
}
