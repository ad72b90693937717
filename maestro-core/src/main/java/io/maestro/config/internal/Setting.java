package io.maestro.config.internal;

import io.maestro.error.MaestroException;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One setting: its key in the file, its default and what its value may be. Declared once, as a constant of its group, by {@link
 * SettingGroup}.
 *
 * @param <T> the type of its value
 */
public final class Setting<T> {
    private final @Nullable String key;
    private final @Nullable T otherwise;
    private final BiFunction<Config, String, Optional<T>> reader;
    private Consumer<T> check = value -> {};
    private BinaryOperator<T> merge = (code, file) -> code;

    Setting(@Nullable String key, @Nullable T otherwise, BiFunction<Config, String, Optional<T>> reader) {
        this.key = key;
        this.otherwise = otherwise;
        this.reader = reader;
    }

    /**
     * Checks each value, of code and of the file.
     *
     * @param rule throws {@link IllegalArgumentException} with a message for people
     * @return this
     */
    public Setting<T> checked(Consumer<T> rule) {
        this.check = rule;
        return this;
    }

    /**
     * Merges the values of code and file. Without this, code wins.
     *
     * @param merger gets the value of code, then that of the file
     * @return this
     */
    public Setting<T> merged(BinaryOperator<T> merger) {
        this.merge = merger;
        return this;
    }

    /** The path in the configuration, such as {@code git.user_name}; empty where only code can set it. */
    public Optional<String> key() {
        return Optional.ofNullable(key);
    }

    /** The value where nothing is set. */
    public Optional<T> otherwise() {
        return Optional.ofNullable(otherwise);
    }

    void check(T value) {
        check.accept(value);
    }

    @Nullable
    T under(@Nullable T code, Config file) {
        Optional<T> read = key == null ? Optional.empty() : reader.apply(file, key);
        if (read.isEmpty()) {
            return code;
        }
        try {
            check.accept(read.get());
        } catch (IllegalArgumentException e) {
            throw new MaestroException("$." + key + ": " + e.getMessage(), e);
        }
        return code == null ? read.get() : merge.apply(code, read.get());
    }
}
