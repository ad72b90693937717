package io.maestro.docker;

import io.maestro.config.internal.Config;
import io.maestro.config.internal.Setting;
import io.maestro.config.internal.SettingGroup;
import io.maestro.config.internal.SettingValues;
import io.maestro.docker.internal.ContainerConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * The engines that containers run on: {@code engine}, {@code hosts}, {@code placement}, {@code workspace} and {@code close_seconds} of the object {@code container} of the configuration. Immutable: each setter returns changed options.
 *
 * <pre>{@code DockerEnvironments.builder().engines(engines -> engines.placement(Placement.roundRobin()))}</pre>
 */
public final class EngineOptions {
    private static final SettingGroup GROUP = new SettingGroup();
    private static final Setting<String> ENGINE = GROUP.text("container.engine");
    private static final Setting<List<DockerHost>> HOSTS = GROUP.<List<DockerHost>>value(
                    "container.hosts", null, EngineOptions::hosts)
            .checked(EngineOptions::requireNames);
    private static final Setting<Placement> PLACEMENT = GROUP.value(
            "container.placement",
            null,
            (file, key) -> file.text(key)
                    .map(name -> name.equals("round-robin") ? Placement.roundRobin() : Placement.leastLoaded()));
    private static final Setting<WorkspaceMode> WORKSPACE = GROUP.value(
            "container.workspace",
            WorkspaceMode.AUTO,
            (file, key) -> file.text(key).map(name -> WorkspaceMode.valueOf(name.toUpperCase(Locale.ROOT))));
    private static final Setting<Duration> CLOSE_TIME = GROUP.seconds("container.close_seconds", Duration.ofMinutes(3))
            .checked(limit -> {
                if (limit.isZero() || limit.isNegative()) {
                    throw new IllegalArgumentException(
                            "the time limit for closing must be more than zero, is " + limit);
                }
            });

    private static final EngineOptions DEFAULTS = new EngineOptions(GROUP.none());

    private final SettingValues values;

    private EngineOptions(SettingValues values) {
        this.values = values;
    }

    /**
     * The options where nothing is set.
     *
     * @return see each method
     */
    public static EngineOptions defaults() {
        return DEFAULTS;
    }

    EngineOptions under(Config file) {
        return new EngineOptions(values.under(file));
    }

    private <T> EngineOptions with(Setting<T> setting, T value) {
        return new EngineOptions(values.with(setting, Objects.requireNonNull(value)));
    }

    private static Optional<List<DockerHost>> hosts(Config file, String key) {
        List<DockerHost> hosts = new ArrayList<>();
        for (Config each : file.objects(key)) {
            hosts.add(ContainerConfig.read(key + "[" + hosts.size() + "]", () -> {
                DockerHost.Builder host = DockerHost.builder();
                file.text("container.engine").ifPresent(host::program);
                each.text("name").ifPresent(host::name);
                each.text("context").ifPresent(host::context);
                each.text("url").ifPresent(host::url);
                each.text("tls_directory").map(Path::of).ifPresent(host::tlsDirectory);
                return host.build();
            }));
        }
        return Optional.of(hosts).filter(list -> !list.isEmpty());
    }

    private static void requireNames(List<DockerHost> hosts) {
        List<String> names = hosts.stream().map(DockerHost::name).toList();
        if (names.stream().distinct().count() < names.size()) {
            throw new IllegalArgumentException("each host must have a name that no other has; they are " + names);
        }
    }

    /**
     * Adds an engine that containers may run on. Engines in code replace those of the file.
     *
     * @param host the engine; without any, it is what the configuration says, or else the one of this machine
     * @return changed options
     * @throws IllegalArgumentException when another one has its name
     */
    public EngineOptions host(DockerHost host) {
        List<DockerHost> all = new ArrayList<>(values.find(HOSTS).orElse(List.of()));
        all.add(host);
        return with(HOSTS, List.copyOf(all));
    }

    /**
     * The engines.
     *
     * @return unmodifiable; at least one
     */
    public List<DockerHost> hosts() {
        return values.find(HOSTS)
                .orElseGet(() -> List.of(DockerHost.builder()
                        .program(values.find(ENGINE).orElse("docker"))
                        .build()));
    }

    /**
     * Whether somebody has said which engines, so that no other is tried.
     *
     * @return false unless set
     */
    public boolean isChosen() {
        return values.has(HOSTS) || values.has(ENGINE);
    }

    /**
     * Sets how agents are spread over the engines.
     *
     * @param how chooses an engine
     * @return changed options
     */
    public EngineOptions placement(Placement how) {
        return with(PLACEMENT, how);
    }

    /**
     * How agents are spread over the engines.
     *
     * @return {@link Placement#leastLoaded()} unless set
     */
    public Placement placement() {
        return values.find(PLACEMENT).orElseGet(Placement::leastLoaded);
    }

    /**
     * Sets how the workspace gets into containers.
     *
     * @param mode the way
     * @return changed options
     */
    public EngineOptions workspace(WorkspaceMode mode) {
        return with(WORKSPACE, mode);
    }

    /**
     * How the workspace gets into containers.
     *
     * @return {@link WorkspaceMode#AUTO} unless set
     */
    public WorkspaceMode workspace() {
        return values.get(WORKSPACE);
    }

    /**
     * Sets how long closing an environment may take, whatever hangs. A whole project takes twice as long at most. What is left
     * then is removed by the next start of the project.
     *
     * @param limit more than zero; less than what a service manager gives a program to end
     * @return changed options
     */
    public EngineOptions closeTimeLimit(Duration limit) {
        return with(CLOSE_TIME, limit);
    }

    /**
     * How long closing an environment may take.
     *
     * @return 3 minutes unless set
     */
    public Duration closeTimeLimit() {
        return values.get(CLOSE_TIME);
    }
}
