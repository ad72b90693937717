package io.maestro.docker;

import io.maestro.config.internal.Config;
import io.maestro.config.internal.Setting;
import io.maestro.config.internal.SettingGroup;
import io.maestro.config.internal.SettingValues;
import io.maestro.docker.internal.LimitSettings;
import java.time.Duration;
import java.util.Objects;

/**
 * The services that agents bring up from compose files: {@code compose} of the object {@code container} of the configuration. Immutable: each setter returns changed options.
 *
 * <pre>{@code DockerEnvironments.builder().compose(compose -> compose.publishPorts(true))}</pre>
 */
public final class ComposeOptions {
    private static final SettingGroup GROUP = new SettingGroup();
    private static final Setting<Boolean> ENABLED = GROUP.flag("container.compose.enabled", true);
    private static final Setting<Boolean> PUBLISH_PORTS = GROUP.flag("container.compose.publish_ports", false);
    private static final Setting<Boolean> CONTAINER_NAMES = GROUP.flag("container.compose.container_names", false);
    private static final Setting<Duration> TIME = GROUP.seconds("container.compose.up_seconds", Duration.ofMinutes(3))
            .checked(limit -> {
                if (limit.isZero() || limit.isNegative()) {
                    throw new IllegalArgumentException(
                            "the time limit of services must be more than zero, is " + limit);
                }
            });
    private static final LimitSettings LIMITS = new LimitSettings(GROUP, "container.compose");
    private static final Setting<Integer> CONTAINERS = GROUP.integer("container.compose.containers", 20)
            .checked(most -> {
                if (most < 1 || most > 1000) {
                    throw new IllegalArgumentException(
                            "an agent's services have from 1 to 1000 containers, not " + most);
                }
            });

    private static final ComposeOptions DEFAULTS = new ComposeOptions(GROUP.none());

    private final SettingValues values;

    private ComposeOptions(SettingValues values) {
        this.values = values;
    }

    /**
     * The options where nothing is set.
     *
     * @return see each method
     */
    public static ComposeOptions defaults() {
        return DEFAULTS;
    }

    ComposeOptions under(Config file) {
        return new ComposeOptions(values.under(file));
    }

    private <T> ComposeOptions with(Setting<T> setting, T value) {
        return new ComposeOptions(values.with(setting, Objects.requireNonNull(value)));
    }

    /**
     * Sets whether agents may bring up services from compose files.
     *
     * @param on whether they may
     * @return changed options
     */
    public ComposeOptions enabled(boolean on) {
        return with(ENABLED, on);
    }

    /**
     * Whether agents may bring up services.
     *
     * @return true unless set
     */
    public boolean enabled() {
        return values.get(ENABLED);
    }

    /**
     * Sets whether ports of services are published on the engine's machine.
     *
     * @param publish with true, two coders that publish the same port collide
     * @return changed options
     */
    public ComposeOptions publishPorts(boolean publish) {
        return with(PUBLISH_PORTS, publish);
    }

    /**
     * Whether ports of services are published on the engine's machine.
     *
     * @return false unless set
     */
    public boolean publishPorts() {
        return values.get(PUBLISH_PORTS);
    }

    /**
     * Sets whether services keep the names of containers that their file gives them.
     *
     * @param keep with true, two coders with the same name collide
     * @return changed options
     */
    public ComposeOptions containerNames(boolean keep) {
        return with(CONTAINER_NAMES, keep);
    }

    /**
     * Whether services keep the names of containers that their file gives them.
     *
     * @return false unless set
     */
    public boolean containerNames() {
        return values.get(CONTAINER_NAMES);
    }

    /**
     * Sets how long it may take to bring services up, unless the agent says it.
     *
     * @param limit more than zero, and no more than 15 minutes count
     * @return changed options
     */
    public ComposeOptions timeLimit(Duration limit) {
        return with(TIME, limit);
    }

    /**
     * How long it may take to bring services up.
     *
     * @return 3 minutes unless set
     */
    public Duration timeLimit() {
        return values.get(TIME);
    }

    /**
     * Sets how much of the machine one service of a compose file may ask for.
     *
     * @param most more is refused
     * @return changed options
     */
    public ComposeOptions limits(ContainerLimits most) {
        return new ComposeOptions(LIMITS.set(values, most));
    }

    /**
     * How much of the machine one service may ask for.
     *
     * @return each is that of {@link ContainerLimits#CODING} unless set
     */
    public ContainerLimits limits() {
        return LIMITS.get(values, ContainerLimits.CODING);
    }

    /**
     * Sets how many containers the services of one agent have at most.
     *
     * @param most from 1 to 1000
     * @return changed options
     * @throws IllegalArgumentException when it is not
     */
    public ComposeOptions containers(int most) {
        return with(CONTAINERS, most);
    }

    /**
     * How many containers the services of one agent have at most.
     *
     * @return 20 unless set
     */
    public int containers() {
        return values.get(CONTAINERS);
    }
}
