package io.maestro.docker;

import io.maestro.config.internal.Config;
import io.maestro.config.internal.Setting;
import io.maestro.config.internal.SettingGroup;
import io.maestro.config.internal.SettingValues;
import io.maestro.docker.internal.ContainerConfig;
import io.maestro.docker.internal.LimitSettings;
import io.maestro.docker.internal.environment.AgentDirectories;
import io.maestro.environment.Phase;
import io.maestro.error.MaestroException;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The containers of agents: what they may take and reach, and what the host adds to them. In the file, the object {@code container} itself. Immutable: each setter returns changed options.
 *
 * <pre>{@code DockerEnvironments.builder().container(container -> container.caches(Map.of("maven", "~/.m2")))}</pre>
 */
public final class ContainerOptions {
    private static final SettingGroup GROUP = new SettingGroup();
    private static final int MOST = 32;

    private static final Setting<String> USER = GROUP.text("container.user").checked(name -> {
        if (!name.matches("[A-Za-z0-9_][A-Za-z0-9_.-]*(:[A-Za-z0-9_][A-Za-z0-9_.-]*)?")) {
            throw new IllegalArgumentException("must be a user or user:group, is '" + name + "'");
        }
    });
    private static final Setting<Boolean> READ_ONLY_ROOT = GROUP.flag("container.read_only_root", false);
    private static final LimitSettings LIMITS = new LimitSettings(GROUP, "container");
    private static final Map<Phase, Setting<ContainerNetwork>> NETWORKS = new EnumMap<>(Map.of(
            Phase.PLANNING, network("container.planning.network", ContainerNetwork.NONE),
            Phase.CODING, network("container.network", ContainerNetwork.OPEN),
            Phase.ARCHITECT, network("container.architect.network", ContainerNetwork.NONE)));
    private static final Setting<ContainerNetwork> TEST_NETWORK = network("container.test.network", null);
    private static final Setting<Map<String, String>> VARIABLES =
            texts("container.variables").checked(ContainerOptions::requireVariables);
    private static final Setting<Map<String, String>> CACHES =
            texts("container.caches").checked(ContainerOptions::requireCaches);
    private static final Setting<List<Integer>> PORTS = GROUP.<List<Integer>>value(
                    "container.ports",
                    List.of(),
                    (file, key) -> Optional.of(file.texts(key).stream()
                                    .map(Double::parseDouble)
                                    .map(Double::intValue)
                                    .toList())
                            .filter(list -> !list.isEmpty()))
            .checked(ContainerOptions::requirePorts);
    private static final Setting<Integer> TMPFS = megabytes("container.tmpfs_mb", 512, 1);
    private static final Setting<Integer> DISK = megabytes("container.disk_mb", 20_480, 1);
    private static final Setting<Integer> DISK_RESERVE = megabytes("container.disk_reserve_mb", 1024, 0);

    private static final ContainerOptions DEFAULTS = new ContainerOptions(GROUP.none());

    private final SettingValues values;

    private ContainerOptions(SettingValues values) {
        this.values = values;
    }

    /**
     * The options where nothing is set.
     *
     * @return see each method
     */
    public static ContainerOptions defaults() {
        return DEFAULTS;
    }

    /** @throws MaestroException when a value of the file cannot be used, or not together with the others */
    ContainerOptions under(Config file) {
        ContainerOptions all = new ContainerOptions(values.under(file));
        ContainerConfig.read("container.caches", () -> AgentDirectories.requireCaches(all.values.get(CACHES)));
        if (!all.ports().isEmpty() && all.network(Phase.CODING).isConfined()) {
            throw new MaestroException("$.container.ports: cannot be published where coding has no network or a list of"
                    + " names: set container.network to open, or leave them out");
        }
        return all;
    }

    private <T> ContainerOptions with(Setting<T> setting, T value) {
        return new ContainerOptions(values.with(setting, Objects.requireNonNull(value)));
    }

    private static Setting<ContainerNetwork> network(String key, @Nullable ContainerNetwork otherwise) {
        return GROUP.value(key, otherwise, ContainerOptions::network);
    }

    private static Optional<ContainerNetwork> network(Config file, String key) {
        int last = key.lastIndexOf('.');
        Object value = file.object(key.substring(0, last)).tree().get(key.substring(last + 1));
        return Optional.ofNullable(value)
                .map(form -> ContainerConfig.read(
                        key,
                        () -> form instanceof String name
                                ? ContainerNetwork.of(name)
                                : form instanceof List<?>
                                        ? ContainerNetwork.names(file.texts(key), List.of())
                                        : ContainerNetwork.names(
                                                file.texts(key + ".allow"), file.texts(key + ".mirrors"))));
    }

    /** Texts by names: the file's, in which those of code replace those of the same name. */
    private static Setting<Map<String, String>> texts(String key) {
        return GROUP.<Map<String, String>>value(
                        key, Map.of(), (file, path) -> file.tree(path).map(ContainerOptions::texts))
                .merged((code, inFile) -> {
                    Map<String, String> all = new LinkedHashMap<>(inFile);
                    all.putAll(code);
                    return Map.copyOf(all);
                });
    }

    private static Map<String, String> texts(Map<String, Object> tree) {
        Map<String, String> texts = new LinkedHashMap<>();
        tree.forEach((name, text) -> texts.put(name, String.valueOf(text)));
        return texts;
    }

    private static Setting<Integer> megabytes(String key, int otherwise, int least) {
        return GROUP.integer(key, otherwise).checked(value -> {
            if (value < least || value > 1 << 30) {
                throw new IllegalArgumentException("must be from " + least + " to " + (1 << 30) + " MB, is " + value);
            }
        });
    }

    private static void requireNames(Map<String, String> texts, int most, String form) {
        if (texts.size() > most) {
            throw new IllegalArgumentException("must have at most " + most + " names, has " + texts.size());
        }
        texts.keySet().stream().filter(name -> !name.matches(form)).findFirst().ifPresent(name -> {
            throw new IllegalArgumentException("must have names of the form " + form + ", has '" + name + "'");
        });
    }

    private static void requireVariables(Map<String, String> variables) {
        requireNames(variables, MOST * 4, "[A-Za-z_][A-Za-z0-9_]*");
        variables.forEach((name, value) -> {
            if (name.equals("HOME") || name.startsWith("MAESTRO_")) {
                throw new IllegalArgumentException("cannot have " + name + ", which Maestro sets itself");
            }
            if (value.length() > 16_000 || value.chars().anyMatch(Character::isISOControl)) {
                throw new IllegalArgumentException("has a value of " + name
                        + " with a control character or more than 16000 characters, which no container can be given");
            }
        });
    }

    private static void requireCaches(Map<String, String> caches) {
        requireNames(caches, MOST, "[a-z0-9][a-z0-9-]{0,31}");
        AgentDirectories.requireCaches(caches);
    }

    private static void requirePorts(List<Integer> ports) {
        ports.stream().filter(port -> port < 1 || port > 65_535).findFirst().ifPresent(port -> {
            throw new IllegalArgumentException("must have whole numbers from 1 to 65535, has " + port);
        });
        if (ports.size() > MOST || ports.stream().distinct().count() < ports.size()) {
            throw new IllegalArgumentException("must be at most " + MOST + " ports that differ, are " + ports);
        }
    }

    /**
     * Sets as whom agents work.
     *
     * @param name a user or {@code user:group}, by names or numbers
     * @return changed options
     * @throws IllegalArgumentException when it is none
     */
    public ContainerOptions user(String name) {
        return with(USER, name);
    }

    /**
     * As whom agents work.
     *
     * @return empty unless set: the owner of the workspace
     */
    public Optional<String> user() {
        return values.find(USER);
    }

    /**
     * Sets whether coders can write only to the workspace and to {@code /tmp}.
     *
     * @param only true for a read-only root
     * @return changed options
     */
    public ContainerOptions readOnlyRoot(boolean only) {
        return with(READ_ONLY_ROOT, only);
    }

    /**
     * Whether coders can write only to the workspace and to {@code /tmp}.
     *
     * @return false unless set
     */
    public boolean readOnlyRoot() {
        return values.get(READ_ONLY_ROOT);
    }

    /**
     * Sets how much of the machine each container of an attempt may take, in each phase.
     *
     * @param limits the limits
     * @return changed options
     */
    public ContainerOptions limits(ContainerLimits limits) {
        return new ContainerOptions(LIMITS.set(values, limits));
    }

    /**
     * How much of the machine a container may take in a phase.
     *
     * @param phase in which phase
     * @return each that is not set is that of {@link ContainerLimits#PLANNING}, {@link ContainerLimits#CODING} or {@link
     *     ContainerLimits#ARCHITECT}
     */
    public ContainerLimits limits(Phase phase) {
        return LIMITS.get(
                values,
                switch (phase) {
                    case PLANNING -> ContainerLimits.PLANNING;
                    case CODING -> ContainerLimits.CODING;
                    case ARCHITECT -> ContainerLimits.ARCHITECT;
                });
    }

    /**
     * Sets the network of a phase. In the file, that of CODING is {@code network}.
     *
     * @param phase in which phase
     * @param network the network
     * @return changed options
     */
    public ContainerOptions network(Phase phase, ContainerNetwork network) {
        return with(Objects.requireNonNull(NETWORKS.get(phase)), network);
    }

    /**
     * The network of a phase.
     *
     * @param phase in which phase
     * @return unless set, {@link ContainerNetwork#OPEN} while coding, else {@link ContainerNetwork#NONE}
     */
    public ContainerNetwork network(Phase phase) {
        return values.get(Objects.requireNonNull(NETWORKS.get(phase)));
    }

    /**
     * Sets a test container's network while coding; while planning it has none.
     *
     * @param network the network
     * @return changed options
     */
    public ContainerOptions testNetwork(ContainerNetwork network) {
        return with(TEST_NETWORK, network);
    }

    /**
     * A test container's network while coding.
     *
     * @return what coding has unless set
     */
    public ContainerNetwork testNetwork() {
        return values.find(TEST_NETWORK).orElseGet(() -> network(Phase.CODING));
    }

    /**
     * Sets variables of all commands in agents' containers. No secrets: the engine shows them; what is secret is passed from the
     * host by its name, see {@code passEnvironment} of the builder of {@code Maestro}, and wins.
     *
     * @param variables by their names; not {@code HOME}, which is set, and with a list of names in the network not the variables of
     *     proxies
     * @return changed options
     * @throws IllegalArgumentException when a name or value cannot be given to a container
     */
    public ContainerOptions variables(Map<String, String> variables) {
        return with(VARIABLES, Map.copyOf(variables));
    }

    /**
     * Variables of all commands in agents' containers.
     *
     * @return unmodifiable; empty unless set
     */
    public Map<String, String> variables() {
        return values.get(VARIABLES);
    }

    /**
     * Sets directories of coders' containers that outlast them, for what is fetched again and again. Each coder has its own, and
     * what decides, as the tests before a merge, has none of them: who writes to a cache can put programs there.
     *
     * @param paths by the caches' names, absolute or from {@code ~/} on, for example {@code Map.of("maven", "~/.m2")}
     * @return changed options
     * @throws IllegalArgumentException when a path is the system's or the workspace's, or is in another one
     */
    public ContainerOptions caches(Map<String, String> paths) {
        return with(CACHES, Map.copyOf(paths));
    }

    /**
     * Directories of coders' containers that outlast them, by the caches' names.
     *
     * @return absolute paths, unmodifiable; empty unless set
     */
    public Map<String, String> caches() {
        return AgentDirectories.absolute(values.get(CACHES));
    }

    /**
     * Sets which ports of coders' containers are published: on 127.0.0.1 of the engine's machine, each on a port that the engine
     * chooses and the log tells. CODING needs a network for it, which a list of names is not.
     *
     * @param numbers from 1 to 65535; at most 32
     * @return changed options
     * @throws IllegalArgumentException when they are not
     */
    public ContainerOptions ports(Integer... numbers) {
        return with(PORTS, List.of(numbers));
    }

    /**
     * Which ports of coders' containers are published.
     *
     * @return unmodifiable; empty unless set
     */
    public List<Integer> ports() {
        return values.get(PORTS);
    }

    /**
     * Sets how large {@code /tmp} is.
     *
     * @param megabytes 1 or more
     * @return changed options
     * @throws IllegalArgumentException when it is less
     */
    public ContainerOptions tmpfsMegabytes(int megabytes) {
        return with(TMPFS, megabytes);
    }

    /**
     * How large {@code /tmp} is.
     *
     * @return 512 unless set
     */
    public int tmpfsMegabytes() {
        return values.get(TMPFS);
    }

    /**
     * Sets how much an attempt may hold on disks: in its workspace, in its volumes, and in what its containers and services have
     * written beside them; and how much one build may write. Where it is more, containers and services are made anew, and an
     * attempt that goes on growing ends.
     *
     * @param megabytes 1 or more
     * @return changed options
     * @throws IllegalArgumentException when it is less
     */
    public ContainerOptions diskMegabytes(int megabytes) {
        return with(DISK, megabytes);
    }

    /**
     * How much an attempt may hold on disks.
     *
     * @return 20480 unless set
     */
    public int diskMegabytes() {
        return values.get(DISK);
    }

    /**
     * Sets how much stays free on the disk of the project directory, and on that of an engine on this machine. While it is less,
     * no attempt may grow, and nothing is built.
     *
     * @param megabytes 0 or more
     * @return changed options
     * @throws IllegalArgumentException when it is less
     */
    public ContainerOptions diskReserveMegabytes(int megabytes) {
        return with(DISK_RESERVE, megabytes);
    }

    /**
     * How much stays free on disks.
     *
     * @return 1024 unless set
     */
    public int diskReserveMegabytes() {
        return values.get(DISK_RESERVE);
    }
}
