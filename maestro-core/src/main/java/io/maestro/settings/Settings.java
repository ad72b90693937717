package io.maestro.settings;

import io.maestro.agent.Limits;
import io.maestro.budget.internal.CostControl;
import io.maestro.config.internal.Config;
import io.maestro.error.MaestroException;
import io.maestro.git.Forge;
import io.maestro.git.GitOptions;
import io.maestro.secrets.Redactor;
import io.maestro.secrets.SecretRedactor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All settings of one Maestro: what code has set, else what the configuration has, else the default. Immutable. Made once, by the
 * builder of {@code Maestro}; each part takes its group.
 *
 * @param git repository and commits
 * @param forge how work is merged
 * @param agents models, programs and prices
 * @param limits what a story, and all of them together, may cost
 * @param people who decides on what
 * @param commands the project's commands
 * @param environment where commands run
 * @param tools what agents can call
 * @param web what agents may look up
 * @param prompts what models are told
 * @param record where the record is
 * @param redactor takes out all secrets that are known
 */
public record Settings(
        GitOptions git,
        Forge forge,
        AgentOptions agents,
        Limits limits,
        PeopleOptions people,
        CommandOptions commands,
        EnvironmentOptions environment,
        ToolOptions tools,
        WebOptions web,
        PromptOptions prompts,
        RecordOptions record,
        Redactor redactor) {
    /**
     * Starts with no value set.
     *
     * @return a builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * The JSON Schema of the configuration.
     *
     * @return JSON text
     */
    public static String schema() {
        return ConfigSchema.text();
    }

    /**
     * The same settings with another record.
     *
     * @param other where the record is
     * @return changed settings
     */
    public Settings with(RecordOptions other) {
        return new Settings(
                git, forge, agents, limits, people, commands, environment, tools, web, prompts, other, redactor);
    }

    /**
     * The repository to work on.
     *
     * @return a URL or path
     */
    public String repository() {
        return git.repository().orElseThrow();
    }

    /**
     * Refuses a limit on cost that cannot be kept, since the price of a model is not known. The model of a program may be an alias:
     * its first request tells.
     *
     * @throws MaestroException when there is such a model
     */
    public void requirePrices() {
        Map<String, String> models = new HashMap<>();
        agents.coderModel().ifPresent(model -> models.put("the coders'", model.model()));
        if (!(agents.architectModel() instanceof MissingModel)) {
            models.put("the architect's", agents.architectModel().model());
        }
        CostControl.requirePrices(limits, agents.prices()::cost, models);
    }

    /** What is missing is named by its key where settings are read from a file, else by the builder's method, too. */
    static <T> T required(@Nullable T value, String key, Config file) {
        if (value == null) {
            String name = key.substring(key.indexOf('.') + 1).replace("_model", "Model");
            String both = name + " must be set: by Maestro.builder()." + name + "(…), or " + key;
            throw new MaestroException(
                    file == Config.EMPTY ? both + " in .maestro/config.json" : "$." + key + ": must be set");
        }
        return value;
    }

    /** Collects what code sets, and where the configuration is. Not safe for use by several threads. */
    public static final class Builder {
        /** By their classes. */
        private final Map<Class<?>, Object> groups = new HashMap<>(Map.of(
                GitOptions.class, GitOptions.defaults(),
                AgentOptions.class, AgentOptions.defaults(),
                PeopleOptions.class, PeopleOptions.defaults(),
                CommandOptions.class, CommandOptions.defaults(),
                EnvironmentOptions.class, EnvironmentOptions.defaults(),
                ToolOptions.class, ToolOptions.defaults(),
                WebOptions.class, WebOptions.defaults(),
                PromptOptions.class, PromptOptions.defaults(),
                RecordOptions.class, RecordOptions.defaults()));

        private @Nullable Forge forge;
        private Limits limits = Limits.defaults();
        private @Nullable SecretRedactor redactor;
        private final List<String> secrets = new ArrayList<>();
        private @Nullable Path configFile;
        private @Nullable String config;
        private boolean readConfig = true;

        private Builder() {}

        /**
         * Changes the options of one group.
         *
         * @param <T> the group
         * @param group its class
         * @param change gets what is set so far
         * @return this
         */
        public <T> Builder change(Class<T> group, UnaryOperator<T> change) {
            groups.put(group, change.apply(options(group)));
            return this;
        }

        private <T> T options(Class<T> group) {
            return group.cast(Objects.requireNonNull(groups.get(group), group::getName));
        }

        /**
         * Sets how finished branches are merged.
         *
         * @param hosting the default merges and pushes with git alone
         * @return this
         */
        public Builder forge(Forge hosting) {
            this.forge = Objects.requireNonNull(hosting, "hosting");
            return this;
        }

        /**
         * Sets what a story, and all of them together, may cost.
         *
         * @param bounds the limits
         * @return this
         */
        public Builder limits(Limits bounds) {
            this.limits = Objects.requireNonNull(bounds, "bounds");
            return this;
        }

        /**
         * Names a secret of the host.
         *
         * @param value at least 6 characters
         * @return this
         */
        public Builder secret(String value) {
            secrets.add(HostSecrets.require(value));
            return this;
        }

        /**
         * The secrets that the host has named.
         *
         * @return unmodifiable
         */
        public List<String> secrets() {
            return List.copyOf(secrets);
        }

        /**
         * Sets what takes secrets out of texts.
         *
         * @param secretRedactor is told the secrets that are known
         * @return this
         */
        public Builder redactor(SecretRedactor secretRedactor) {
            this.redactor = Objects.requireNonNull(secretRedactor, "secretRedactor");
            return this;
        }

        /**
         * Reads the configuration from a file, instead of {@code .maestro/config.json} in the project directory.
         *
         * @param file JSON by {@link Settings#schema()}
         * @return this
         */
        public Builder config(Path file) {
            configFile = Objects.requireNonNull(file, "file");
            config = null;
            return this;
        }

        /**
         * Takes the configuration from a text.
         *
         * @param json JSON by {@link Settings#schema()}
         * @return this
         */
        public Builder config(String json) {
            config = Objects.requireNonNull(json, "json");
            configFile = null;
            return this;
        }

        /**
         * Sets whether {@code .maestro/config.json} and {@code .maestro/prompts} in the project directory are read.
         *
         * @param read whether they are
         * @return this
         */
        public Builder readConfig(boolean read) {
            readConfig = read;
            return this;
        }

        /**
         * Reads the configuration, and puts the settings together. The redactor is told the secrets of the environment, the
         * repository's URL and each part as soon as they are known, before any message can show them.
         *
         * @param directory the project directory
         * @param variables those of the host's environment
         * @return the settings
         * @throws MaestroException when a setting is missing or wrong
         */
        public Settings build(Path directory, Map<String, String> variables) {
            SecretRedactor known = HostSecrets.tell(
                    redactor == null ? SecretRedactor.withDefaults() : redactor,
                    secrets,
                    options(GitOptions.class).repository().orElse(""),
                    variables);
            try {
                return read(directory, variables, known);
            } catch (MaestroException e) {
                String message = String.valueOf(e.getMessage());
                Path file = file(directory);
                if (config != null || !message.startsWith("$.") || !Files.exists(file)) {
                    throw e;
                }
                throw new MaestroException("in " + file + ", " + message, e);
            }
        }

        /** The message of what is wrong with a value begins with its path. */
        private Settings read(Path directory, Map<String, String> variables, SecretRedactor known) {
            Config file = configuration(directory, new ConfigReader(known));
            PeopleOptions allPeople = options(PeopleOptions.class).under(file);
            ConfiguredModels models =
                    new ConfiguredModels(file, variables, secret -> HostSecrets.tell(known, List.of(secret)));
            ToolOptions tools = options(ToolOptions.class);
            ToolOptions allTools = tools.under(file, variables);
            HostSecrets.tellHeaders(known, allTools.mcpSources());
            GitOptions allGit = options(GitOptions.class).under(file.tree());
            String unused = required(allGit.repository().orElse(null), "git.repository", file);
            AgentOptions allAgents =
                    options(AgentOptions.class).under(file, models, tools.classLoader(), known, allPeople.needModel());
            Forge allForge = forge != null ? forge : ConfiguredForge.of(file, variables);
            HostSecrets.tell(known, allForge.secrets());
            return new Settings(
                    allGit,
                    allForge,
                    allAgents,
                    limits.under(file.tree()).forHost(allPeople.decided()),
                    allPeople,
                    options(CommandOptions.class).under(file),
                    options(EnvironmentOptions.class).under(file),
                    allTools,
                    options(WebOptions.class).under(file),
                    options(PromptOptions.class).under(file, directory, readConfig),
                    options(RecordOptions.class).under(file),
                    redactor(file, known));
        }

        private Path file(Path directory) {
            return configFile != null
                    ? configFile
                    : directory.resolve(".maestro").resolve("config.json");
        }

        private Config configuration(Path directory, ConfigReader reader) {
            if (config != null) {
                return reader.read(config, "given as text");
            }
            if (configFile != null) {
                return reader.read(configFile);
            }
            Path file = file(directory);
            return readConfig && Files.exists(file) ? reader.read(file) : Config.EMPTY;
        }

        /** The file's rules after the others: what either finds is taken out. */
        private static Redactor redactor(Config file, SecretRedactor known) {
            List<Config> patterns = file.objects("redaction.patterns");
            if (patterns.isEmpty()) {
                return known;
            }
            SecretRedactor.Builder rules = SecretRedactor.builder().withoutDefaults();
            for (int i = 0; i < patterns.size(); i++) {
                Config pattern = patterns.get(i);
                try {
                    rules.rule(
                            pattern.text("name").orElseThrow(),
                            pattern.texts("keywords"),
                            pattern.text("pattern").orElseThrow());
                } catch (IllegalArgumentException e) {
                    throw new MaestroException("$.redaction.patterns[" + i + "]: " + e.getMessage(), e);
                }
            }
            SecretRedactor own = rules.build();
            return new Redactor() {
                @Override
                public String redact(String text) {
                    return own.redact(known.redact(text));
                }

                @Override
                public List<Found> find(String text) {
                    return Stream.concat(known.find(text).stream(), own.find(text).stream())
                            .toList();
                }

                @Override
                public int settled(CharSequence text) {
                    return Math.min(known.settled(text), own.settled(text));
                }

                @Override
                public Object version() {
                    return known.version();
                }
            };
        }
    }
}
