package io.maestro.config.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** The settings of one group. A class of options declares one, and each of its settings, as constants. */
public final class SettingGroup {
    private final List<Setting<?>> all = new ArrayList<>();

    /** A group without settings. */
    public SettingGroup() {}

    /** The settings, in the order of their declaration. */
    public List<Setting<?>> all() {
        return List.copyOf(all);
    }

    /** No values: each setting has its default. */
    public SettingValues none() {
        return new SettingValues(this);
    }

    /** A switch. */
    public Setting<Boolean> flag(String key, boolean otherwise) {
        return add(key, otherwise, Config::flag);
    }

    /** A whole number. */
    public Setting<Integer> integer(String key, int otherwise) {
        return add(key, otherwise, Config::integer);
    }

    /** A text without a default. */
    public Setting<String> text(String key) {
        return add(key, null, Config::text);
    }

    /** A text. */
    public Setting<String> text(String key, String otherwise) {
        return add(key, otherwise, Config::text);
    }

    /** A time, which the file has in seconds. */
    public Setting<Duration> seconds(String key, Duration otherwise) {
        return add(key, otherwise, Config::seconds);
    }

    /** A list of texts; empty where it is not set. */
    public Setting<List<String>> texts(String key) {
        return add(key, List.of(), (file, path) -> Optional.of(file.texts(path)).filter(list -> !list.isEmpty()));
    }

    /**
     * A value that has a form of its own in the file.
     *
     * @param otherwise the default; null for none
     * @param reader reads it; empty where it is not set
     */
    public <T> Setting<T> value(String key, @Nullable T otherwise, BiFunction<Config, String, Optional<T>> reader) {
        return add(key, otherwise, reader);
    }

    /**
     * A value that only code can set, such as an object.
     *
     * @param otherwise the default; null for none
     */
    public <T> Setting<T> inCode(@Nullable T otherwise) {
        return add(null, otherwise, (file, path) -> Optional.empty());
    }

    private <T> Setting<T> add(
            @Nullable String key, @Nullable T otherwise, BiFunction<Config, String, Optional<T>> reader) {
        Setting<T> setting = new Setting<>(key, otherwise, reader);
        all.add(setting);
        return setting;
    }
}
