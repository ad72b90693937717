package io.maestro.settings;

import io.maestro.config.internal.Config;
import io.maestro.config.internal.Setting;
import io.maestro.config.internal.SettingGroup;
import io.maestro.config.internal.SettingValues;
import io.maestro.environment.EnvironmentFactory;
import io.maestro.error.MaestroException;
import io.maestro.exec.Executor;
import io.maestro.secrets.Redactor;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/** Where the agents' commands and the project's tests run. Immutable: each setter returns changed options. */
public final class EnvironmentOptions {
    /** What the object {@code container} of a file is for, unless code says otherwise. */
    private static final String CONTAINERS = "docker";

    private static final SettingGroup GROUP = new SettingGroup();
    private static final Setting<Function<Path, Executor>> EXECUTOR = GROUP.inCode(null);
    private static final Setting<EnvironmentFactory> FACTORY = GROUP.inCode(null);
    private static final Setting<String> ID = GROUP.inCode(null);
    private static final Setting<Map<String, Object>> CONTAINER = GROUP.value("container", null, Config::tree);

    private static final EnvironmentOptions DEFAULTS = new EnvironmentOptions(GROUP.none());

    private final SettingValues values;

    private EnvironmentOptions(SettingValues values) {
        this.values = values;
    }

    /**
     * The options where nothing is set: commands run on this machine, as this user.
     *
     * @return see each method
     */
    public static EnvironmentOptions defaults() {
        return DEFAULTS;
    }

    EnvironmentOptions under(Config file) {
        return new EnvironmentOptions(values.under(file));
    }

    /**
     * Lets commands run by a sandbox of the host's own that needs no more than this. Not together with {@code environment}.
     *
     * @param factory makes the executor of a workspace from its directory
     * @return changed options
     */
    public EnvironmentOptions executor(Function<Path, Executor> factory) {
        return new EnvironmentOptions(values.with(EXECUTOR, Objects.requireNonNull(factory, "factory")));
    }

    /**
     * Makes the executors of the host's own.
     *
     * @return empty unless set
     */
    public Optional<Function<Path, Executor>> executor() {
        return values.find(EXECUTOR);
    }

    /**
     * Lets commands run in a sandbox such as containers. It gets the object {@code container} of the configuration.
     *
     * @param factory makes the environments
     * @return changed options
     */
    public EnvironmentOptions environment(EnvironmentFactory factory) {
        return new EnvironmentOptions(
                values.with(FACTORY, Objects.requireNonNull(factory, "factory")).without(ID));
    }

    /**
     * Lets commands run in a sandbox, by its name: a jar on the class path announces it ({@link java.util.ServiceLoader}). An
     * object {@code container} in the configuration stands for {@code docker} where nothing is set in code.
     *
     * @param id for example {@code docker}, which is in the module maestro-docker
     * @return changed options
     */
    public EnvironmentOptions environment(String id) {
        return new EnvironmentOptions(
                values.with(ID, Discovery.ENVIRONMENTS.checked(id)).without(FACTORY));
    }

    /**
     * Sets the settings of the sandbox, in the place of those of the configuration.
     *
     * @param container as the object {@code container} of a configuration; a tree of JSON types
     * @return changed options
     */
    public EnvironmentOptions container(Map<String, Object> container) {
        return new EnvironmentOptions(values.with(CONTAINER, Map.copyOf(container)));
    }

    /**
     * The object {@code container} of the configuration.
     *
     * @return empty unless set
     */
    public Map<String, Object> container() {
        return values.find(CONTAINER).orElse(Map.of());
    }

    /**
     * Finds the sandbox.
     *
     * @param loader where to look for one that is set by its name
     * @param redactor takes secrets out of the messages of those that cannot be loaded
     * @return empty where commands run by executors
     * @throws MaestroException when there is none of that name, or the host has set an executor, too
     */
    public Optional<EnvironmentFactory> factory(ClassLoader loader, Redactor redactor) {
        Optional<EnvironmentFactory> factory = values.find(FACTORY);
        Optional<String> id = values.find(ID);
        if (values.has(EXECUTOR)) {
            if (factory.isPresent() || id.isPresent()) {
                throw new MaestroException("commands run either by executor(…) or in environment("
                        + id.map(name -> "\"" + name + "\"").orElse("…") + "), but both are set: leave one out");
            }
            return Optional.empty();
        }
        if (factory.isPresent()) {
            return factory;
        }
        if (id.isPresent()) {
            return Optional.of(Discovery.find(
                    Discovery.ENVIRONMENTS, id.get(), loader, redactor, "environment(\"" + id.get() + "\")"));
        }
        return values.find(CONTAINER)
                .map(container -> Discovery.find(Discovery.ENVIRONMENTS, CONTAINERS, loader, redactor, "$.container"));
    }
}
