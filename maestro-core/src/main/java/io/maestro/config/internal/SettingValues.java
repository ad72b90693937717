package io.maestro.config.internal;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The values that are set of a group of settings; the others have their defaults. Immutable. */
public final class SettingValues {
    private final SettingGroup group;
    private final Map<Setting<?>, Object> values;

    SettingValues(SettingGroup group) {
        this(group, Map.of());
    }

    private SettingValues(SettingGroup group, Map<Setting<?>, Object> values) {
        this.group = group;
        this.values = values;
    }

    /**
     * These values and one more, which replaces that of before.
     *
     * @throws IllegalArgumentException when the setting refuses it
     */
    public <T> SettingValues with(Setting<T> setting, T value) {
        setting.check(value);
        Map<Setting<?>, Object> all = new HashMap<>(values);
        all.put(setting, value);
        return new SettingValues(group, all);
    }

    /** These values without that of a setting. */
    public SettingValues without(Setting<?> setting) {
        Map<Setting<?>, Object> all = new HashMap<>(values);
        all.remove(setting);
        return new SettingValues(group, all);
    }

    /** Whether a value is set, in code or in the file. */
    public boolean has(Setting<?> setting) {
        return values.containsKey(setting);
    }

    /** The value, or the default of a setting that has one. */
    public <T> T get(Setting<T> setting) {
        return find(setting).orElseThrow();
    }

    /** The value, or the default; empty where there is neither. */
    public <T> Optional<T> find(Setting<T> setting) {
        T value = set(setting);
        return value == null ? setting.otherwise() : Optional.of(value);
    }

    /**
     * These values, and those of a file where they are not set.
     *
     * @throws io.maestro.error.MaestroException when a setting refuses a value of the file; its message begins with the path
     */
    public SettingValues under(Config file) {
        Map<Setting<?>, Object> all = new HashMap<>();
        group.all().forEach(setting -> put(all, setting, file));
        return new SettingValues(group, all);
    }

    private <T> void put(Map<Setting<?>, Object> all, Setting<T> setting, Config file) {
        T value = setting.under(set(setting), file);
        if (value != null) {
            all.put(setting, value);
        }
    }

    @SuppressWarnings("unchecked") // with() is the only way in
    private <T> @Nullable T set(Setting<T> setting) {
        return (T) values.get(setting);
    }
}
