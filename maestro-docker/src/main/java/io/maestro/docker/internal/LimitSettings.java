package io.maestro.docker.internal;

import io.maestro.config.internal.Setting;
import io.maestro.config.internal.SettingGroup;
import io.maestro.config.internal.SettingValues;
import io.maestro.docker.ContainerLimits;
import java.math.BigDecimal;

/** The settings {@code cpus}, {@code memory_mb} and {@code pids} of a group, which are set one by one in the file. */
public final class LimitSettings {
    private static final BigDecimal MIB = BigDecimal.valueOf(1 << 20);
    private static final ContainerLimits OTHERS = ContainerLimits.CODING;

    private final Setting<Double> cpus;
    private final Setting<Long> memory;
    private final Setting<Integer> pids;

    /**
     * Declares them.
     *
     * @param group has them
     * @param object where they are in the configuration, for example {@code container.build}
     */
    public LimitSettings(SettingGroup group, String object) {
        this.cpus = group.<Double>value(
                        object + ".cpus", null, (file, key) -> file.number(key).map(BigDecimal::doubleValue))
                .checked(value -> new ContainerLimits(value, OTHERS.memoryBytes(), OTHERS.pids()));
        this.memory = group.<Long>value(
                        object + ".memory_mb",
                        null,
                        (file, key) -> file.number(key)
                                .map(megabytes -> megabytes.multiply(MIB).longValue()))
                .checked(value -> new ContainerLimits(OTHERS.cpus(), value, OTHERS.pids()));
        this.pids = group.<Integer>value(
                        object + ".pids", null, (file, key) -> file.number(key).map(BigDecimal::intValueExact))
                .checked(value -> new ContainerLimits(OTHERS.cpus(), OTHERS.memoryBytes(), value));
    }

    /** The values with these limits. */
    public SettingValues set(SettingValues values, ContainerLimits limits) {
        return values.with(cpus, limits.cpus())
                .with(memory, limits.memoryBytes())
                .with(pids, limits.pids());
    }

    /** The limits, each from others where it is not set. */
    public ContainerLimits get(SettingValues values, ContainerLimits others) {
        return new ContainerLimits(
                values.find(cpus).orElse(others.cpus()),
                values.find(memory).orElse(others.memoryBytes()),
                values.find(pids).orElse(others.pids()));
    }
}
