package io.maestro.docker;

import io.maestro.config.internal.Config;
import io.maestro.config.internal.Setting;
import io.maestro.config.internal.SettingGroup;
import io.maestro.config.internal.SettingValues;
import io.maestro.docker.internal.LimitSettings;
import io.maestro.environment.Phase;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * How images are built for agents: {@code build}, {@code build_limits}, {@code build_cgroup} and {@code build_seconds} of the object {@code container} of the configuration. Immutable: each setter returns changed options.
 *
 * <pre>{@code DockerEnvironments.builder().builds(builds -> builds.timeLimit(Duration.ofMinutes(30)))}</pre>
 */
public final class BuildOptions {
    private static final SettingGroup GROUP = new SettingGroup();
    private static final Setting<Duration> TIME = GROUP.seconds("container.build_seconds", Duration.ofMinutes(10))
            .checked(limit -> {
                if (limit.isZero() || limit.isNegative()) {
                    throw new IllegalArgumentException("the time limit of a build must be more than zero, is " + limit);
                }
            });
    private static final LimitSettings LIMITS = new LimitSettings(GROUP, "container.build");
    private static final Setting<Boolean> NETWORK = GROUP.value(
            "container.build.network", null, (file, key) -> file.text(key).map(name -> !name.equals("none")));
    private static final Setting<Boolean> LIMITS_REQUIRED = GROUP.value(
            "container.build_limits", true, (file, key) -> file.text(key).map("required"::equals));
    private static final Setting<String> CONTROL_GROUP = GROUP.text("container.build_cgroup")
            .checked(group -> {
                if (!group.matches("[A-Za-z0-9_./:-]{1,256}")) {
                    throw new IllegalArgumentException(
                            "must be a control group, as /limited or limited.slice, is '" + group + "'");
                }
            });

    private static final BuildOptions DEFAULTS = new BuildOptions(GROUP.none());

    private final SettingValues values;

    private BuildOptions(SettingValues values) {
        this.values = values;
    }

    /**
     * The options where nothing is set.
     *
     * @return see each method
     */
    public static BuildOptions defaults() {
        return DEFAULTS;
    }

    BuildOptions under(Config file) {
        return new BuildOptions(values.under(file));
    }

    private <T> BuildOptions with(Setting<T> setting, T value) {
        return new BuildOptions(values.with(setting, Objects.requireNonNull(value)));
    }

    /**
     * Sets how long the build of an image may take.
     *
     * @param limit more than zero
     * @return changed options
     */
    public BuildOptions timeLimit(Duration limit) {
        return with(TIME, limit);
    }

    /**
     * How long the build of an image may take.
     *
     * @return 10 minutes unless set
     */
    public Duration timeLimit() {
        return values.get(TIME);
    }

    /**
     * Sets how much of the machine the commands of a build may take together.
     *
     * @param limits the limits
     * @return changed options
     */
    public BuildOptions limits(ContainerLimits limits) {
        return new BuildOptions(LIMITS.set(values, limits));
    }

    /**
     * How much of the machine the commands of a build may take together.
     *
     * @param container the options of the agents' containers
     * @return each that is not set is a coder's while coding
     */
    public ContainerLimits limits(ContainerOptions container) {
        return LIMITS.get(values, container.limits(Phase.CODING));
    }

    /**
     * Sets whether the commands of a build have the engine's default network for builds.
     *
     * @param on false for none
     * @return changed options
     */
    public BuildOptions network(boolean on) {
        return with(NETWORK, on);
    }

    /**
     * Whether the commands of a build have a network.
     *
     * @param container the options of the agents' containers
     * @return unless set, whether commands have one while coding
     */
    public boolean network(ContainerOptions container) {
        return values.find(NETWORK)
                .orElseGet(() -> !container.network(Phase.CODING).isConfined());
    }

    /**
     * Sets whether a build is refused on an engine none of whose builders holds limits.
     *
     * @param required with false such a build has none
     * @return changed options
     */
    public BuildOptions limitsRequired(boolean required) {
        return with(LIMITS_REQUIRED, required);
    }

    /**
     * Whether a build is refused on an engine none of whose builders holds limits.
     *
     * @return true unless set
     */
    public boolean limitsRequired() {
        return values.get(LIMITS_REQUIRED);
    }

    /**
     * Sets the control group in which the commands of builds run, for an engine that does not put containers where engines
     * mostly do. Without it Maestro makes one with their limits.
     *
     * @param group on the engine's machine, with limits, for example {@code /builds} or {@code builds.slice}
     * @return changed options
     * @throws IllegalArgumentException when it is none
     */
    public BuildOptions controlGroup(String group) {
        return with(CONTROL_GROUP, group);
    }

    /**
     * The control group in which the commands of builds run.
     *
     * @return empty unless set: one of Maestro's own
     */
    public Optional<String> controlGroup() {
        return values.find(CONTROL_GROUP);
    }
}
