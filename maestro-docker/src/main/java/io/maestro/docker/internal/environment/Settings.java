package io.maestro.docker.internal.environment;

import io.maestro.docker.ContainerLimits;
import io.maestro.docker.ContainerSpec;
import io.maestro.docker.DockerHost;
import io.maestro.docker.WorkspaceMode;
import io.maestro.docker.internal.disk.DiskLimits;
import io.maestro.environment.Phase;
import io.maestro.error.MaestroException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The settings of containers, complete: from the object {@code container} of the configuration, and from code, which wins.
 *
 * @param hosts the engines; at least one
 * @param hostsChosen whether somebody has said which, so that no other is tried
 * @param placement how agents are spread over the engines
 * @param image the project's image
 * @param dockerfile the path in the repository of the Dockerfile that the project's image is built from
 * @param base the base image of the safe image; empty for its own
 * @param user as whom agents work; empty for the owner of the workspace
 * @param readOnlyRoot whether coders can write only to the workspace and to {@code /tmp}
 * @param phases what a container may take in a phase
 * @param test what a test container may take
 * @param agents what the host adds to agents' containers
 * @param tmpfsMegabytes the size of {@code /tmp}
 * @param buildTime how long a build may take
 * @param closeTime how long the end of an environment may take, whatever hangs
 * @param disk what attempts may write
 * @param build what a build may take
 * @param buildGroup the control group in which commands of builds run, instead of one of Maestro's own
 * @param buildLimitsRequired whether builds are refused on an engine that cannot hold their limits
 * @param allowedImages what agents may use beside what is the project's
 * @param compose the rules for compose files
 * @param workspace how the workspace gets into a container
 */
public record Settings(
        List<DockerHost> hosts,
        boolean hostsChosen,
        String placement,
        Optional<String> image,
        Optional<String> dockerfile,
        Optional<String> base,
        Optional<String> user,
        boolean readOnlyRoot,
        Map<Phase, PhaseSettings> phases,
        PhaseSettings test,
        AgentSettings agents,
        int tmpfsMegabytes,
        Duration buildTime,
        Duration closeTime,
        DiskLimits disk,
        PhaseSettings build,
        Optional<String> buildGroup,
        boolean buildLimitsRequired,
        List<String> allowedImages,
        Compose compose,
        WorkspaceMode workspace) {
    /** Where the settings stand in the configuration. */
    private static final String PATH = "container";

    /**
     * The rules for compose files.
     *
     * @param enabled whether agents may have services
     * @param publishPorts whether ports of services are published on the engine's machine
     * @param containerNames whether services may have names of their own choice
     * @param upTime how long it may take to bring them up
     * @param most what one service may ask for at most
     * @param containers how many containers a stack has at most
     */
    public record Compose(
            boolean enabled,
            boolean publishPorts,
            boolean containerNames,
            Duration upTime,
            ContainerLimits most,
            int containers) {}

    /** What a container may take in a phase. */
    public PhaseSettings phase(Phase phase) {
        return phases.getOrDefault(phase, PhaseSettings.PLANNING);
    }

    /**
     * Reads settings.
     *
     * @param configured the object of the configuration
     * @param code what code says, in the same form; wins
     * @param hosts the engines that code names; win too, unless there are none
     * @throws MaestroException when something is wrong; the message says what and where
     */
    public static Settings of(Map<String, ?> configured, Map<String, ?> code, List<DockerHost> hosts) {
        try {
            return read(new Section(PATH, merged(configured, code)), hosts);
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw new MaestroException("the settings of " + PATH + " are wrong: " + e.getMessage(), e);
        }
    }

    /** A deep copy. */
    public static Map<String, Object> copy(Map<String, ?> settings) {
        Map<String, Object> copy = new LinkedHashMap<>();
        settings.forEach((name, value) ->
                copy.put(name, value instanceof Map<?, ?> map ? merged(map, Map.of()) : value));
        return Collections.unmodifiableMap(copy);
    }

    private static Settings read(Section root, List<DockerHost> given) {
        String program = root.choice("engine", "docker", "podman");
        boolean engineChosen = root.text("engine").isPresent();
        PhaseSettings coding = PhaseSettings.CODING.changedBy(root);
        Map<Phase, PhaseSettings> phases = new EnumMap<>(Phase.class);
        phases.put(Phase.PLANNING, phase(root, "planning", PhaseSettings.PLANNING));
        phases.put(Phase.CODING, phase(root, "coding", coding));
        phases.put(Phase.ARCHITECT, phase(root, "architect", PhaseSettings.ARCHITECT));
        Optional<String> image = root.text("image");
        if (image.isPresent() && !ContainerSpec.isImageName(image.get())) {
            throw root.wrong("image", "must be the name, id or digest of an image, is '" + image.get() + "'");
        }
        Optional<String> base = root.text("base");
        if (base.isPresent() && !ContainerSpec.isImageName(base.get())) {
            throw root.wrong("base", "must be the name, id or digest of an image, is '" + base.get() + "'");
        }
        Optional<String> user = root.text("user");
        if (user.isPresent() && !user.get().matches("[A-Za-z0-9_][A-Za-z0-9_.-]*(:[A-Za-z0-9_][A-Za-z0-9_.-]*)?")) {
            throw root.wrong("user", "must be a user or user:group, is '" + user.get() + "'");
        }
        List<DockerHost> named = hosts(root, program);
        List<DockerHost> hosts = given.isEmpty() ? named : given;
        requireNames(root, hosts);
        boolean chosen = engineChosen || !hosts.isEmpty();
        if (hosts.isEmpty()) {
            hosts = List.of(DockerHost.builder().program(program).build());
        }
        Settings settings = new Settings(
                List.copyOf(hosts),
                chosen,
                root.choice("placement", "least-loaded", "round-robin"),
                image,
                root.text("dockerfile"),
                base,
                user,
                root.flag("read_only_root", false),
                Map.copyOf(phases),
                phase(root, "test", phases.get(Phase.CODING)),
                AgentSettings.of(root, phases.get(Phase.CODING)),
                (int) root.whole("tmpfs_mb", 1, 1 << 20).orElse(512),
                seconds(root, "build_seconds", 600),
                seconds(root, "close_seconds", 180),
                new DiskLimits(
                        root.whole("disk_mb", 1, 1 << 30).orElse(20_480) << 20,
                        root.whole("disk_reserve_mb", 0, 1 << 30).orElse(1024) << 20),
                phase(root, "build", phases.get(Phase.CODING)),
                group(root),
                root.choice("build_limits", "required", "optional").equals("required"),
                allowed(root),
                compose(root),
                WorkspaceMode.valueOf(
                        root.choice("workspace", "auto", "bind", "volume").toUpperCase(Locale.ROOT)));
        root.end();
        return settings;
    }

    private static Duration seconds(Section section, String name, int unless) {
        return Duration.ofMillis(Math.round(section.number(name, 0, 86_400).orElse(unless) * 1000));
    }

    private static PhaseSettings phase(Section root, String name, PhaseSettings unless) {
        Section section = root.section(name);
        PhaseSettings settings = unless.changedBy(section);
        section.end();
        return settings;
    }

    private static Optional<String> group(Section root) {
        Optional<String> group = root.text("build_cgroup");
        if (group.isPresent() && !group.get().matches("[A-Za-z0-9_./:-]{1,256}")) {
            throw root.wrong(
                    "build_cgroup", "must be a control group, as /limited or limited.slice, is '" + group.get() + "'");
        }
        return group;
    }

    private static List<String> allowed(Section root) {
        List<String> names = root.texts("allowed_images");
        for (String name : names) {
            String plain = name.endsWith("*") ? name.substring(0, name.length() - 1) + "x" : name;
            if (!ContainerSpec.isImageName(plain)) {
                throw root.wrong(
                        "allowed_images",
                        "must have names of images, each with an optional * at its end, has '" + name + "'");
            }
        }
        return names;
    }

    private static Compose compose(Section root) {
        Section section = root.section("compose");
        Compose compose = new Compose(
                section.flag("enabled", true),
                section.flag("publish_ports", false),
                section.flag("container_names", false),
                seconds(section, "up_seconds", 180),
                PhaseSettings.limits(section, ContainerLimits.CODING),
                (int) section.whole("containers", 1, 1000).orElse(20));
        section.end();
        return compose;
    }

    private static List<DockerHost> hosts(Section root, String program) {
        List<DockerHost> hosts = new ArrayList<>();
        for (Section section : root.sections("hosts")) {
            DockerHost.Builder host = DockerHost.builder().program(program);
            section.text("name").ifPresent(host::name);
            section.text("context").ifPresent(host::context);
            section.text("url").ifPresent(host::url);
            section.text("tls_directory").map(Path::of).ifPresent(host::tlsDirectory);
            section.end();
            hosts.add(host.build());
        }
        return hosts;
    }

    private static void requireNames(Section root, List<DockerHost> hosts) {
        if (hosts.stream().map(DockerHost::name).distinct().count() < hosts.size()) {
            throw root.wrong("hosts", "must have a name each that no other has");
        }
    }

    /** Objects are merged, anything else is replaced. */
    private static Map<String, Object> merged(Map<?, ?> below, Map<?, ?> above) {
        Map<String, Object> merged = new LinkedHashMap<>();
        below.forEach((name, value) -> merged.put(String.valueOf(name), value));
        above.forEach((name, value) -> {
            Object old = merged.get(String.valueOf(name));
            merged.put(
                    String.valueOf(name),
                    old instanceof Map<?, ?> oldMap && value instanceof Map<?, ?> newMap
                            ? merged(oldMap, newMap)
                            : value);
        });
        return merged;
    }
}
