package io.maestro;

import io.maestro.agent.Limits;
import io.maestro.audit.Redactor;
import io.maestro.audit.SecretRedactor;
import io.maestro.budget.internal.CostControl;
import io.maestro.builtin.internal.BuiltinTools;
import io.maestro.builtin.internal.ProjectTests;
import io.maestro.builtin.internal.project.ProjectCommands;
import io.maestro.builtin.internal.project.ProjectTask;
import io.maestro.command.CommandTool;
import io.maestro.config.internal.Config;
import io.maestro.config.internal.ConfigReader;
import io.maestro.config.internal.ConfiguredCommands;
import io.maestro.config.internal.ConfiguredForge;
import io.maestro.config.internal.ConfiguredLimits;
import io.maestro.config.internal.ConfiguredMcp;
import io.maestro.config.internal.ConfiguredModels;
import io.maestro.config.internal.ConfiguredPolicy;
import io.maestro.error.MaestroException;
import io.maestro.exec.Executor;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.git.Forge;
import io.maestro.git.internal.GitRepository;
import io.maestro.git.internal.GitSettings;
import io.maestro.git.internal.GitTimes;
import io.maestro.git.internal.SparseDirectories;
import io.maestro.instructions.internal.RepositoryInstructions;
import io.maestro.llm.LlmClient;
import io.maestro.llm.PriceTable;
import io.maestro.mcpclient.McpSource;
import io.maestro.prompt.internal.PromptDirectory;
import io.maestro.prompt.internal.Prompts;
import io.maestro.runtime.ToolPolicy;
import io.maestro.team.internal.architect.Architects;
import io.maestro.team.internal.architect.MissingModel;
import io.maestro.tools.ToolDefinition;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What holds: what the host has set in code, else what stands in its file, else the default.
 *
 * @param repository the repository
 * @param targetBranch where work is merged into; null for the repository's own default
 * @param git how git is used
 * @param blockTokens whether tokens that a change adds are looked for
 * @param conventionalCommits whether commits have headers as Conventional Commits have them
 * @param forge how work is merged
 * @param coderModel the coders' model; null where a program works in its place
 * @param coderMode that program; null for the model
 * @param architectModel the architect's model
 * @param architects who decides on what
 * @param maxCoders how many stories run at the same time
 * @param limits what a story may cost
 * @param prices what models cost
 * @param temperatures by state
 * @param setupCommand prepares a fresh checkout; null to look at the project
 * @param buildCommand builds the project; null to look at the project
 * @param lintCommand runs its linters; null to look at the project
 * @param testCommand runs the project's tests; null to look at the project
 * @param passedOn variables that the agents' commands may see
 * @param container the settings of containers, a tree of JSON types; null where there are none
 * @param leaseTime how long a lease lasts that is not renewed
 * @param discoverTools whether tools are looked for
 * @param toolLimits in the place of the tools' own
 * @param web what agents may look up
 * @param mcpSources where tools are borrowed
 * @param commands commands that are tools
 * @param policies the file's and the host's say in calls of tools
 * @param prompts what models are told
 * @param repositoryInstructions whether the repository tells them something, too
 * @param redactor takes secrets out
 */
record ConfiguredSettings(
        String repository,
        @Nullable String targetBranch,
        GitSettings git,
        boolean blockTokens,
        boolean conventionalCommits,
        Forge forge,
        @Nullable LlmClient coderModel,
        @Nullable HostCoderMode coderMode,
        LlmClient architectModel,
        Architects architects,
        int maxCoders,
        Limits limits,
        PriceTable prices,
        Map<String, Double> temperatures,
        @Nullable String setupCommand,
        @Nullable String buildCommand,
        @Nullable String lintCommand,
        @Nullable String testCommand,
        List<String> passedOn,
        @Nullable Map<String, Object> container,
        Duration leaseTime,
        boolean discoverTools,
        ToolLimits toolLimits,
        HostWeb web,
        List<McpSource> mcpSources,
        List<CommandTool> commands,
        List<ToolPolicy> policies,
        Prompts prompts,
        boolean repositoryInstructions,
        Redactor redactor) {
    private static final Logger LOG = LoggerFactory.getLogger(ConfiguredSettings.class);

    private static final int MAX_CODERS = 3;

    private static final String CODER_MODEL = "agents.coder_model";

    /** A process that was killed is replaced after at most this; one that renews in time is not, whatever a collection takes. */
    private static final Duration LEASE_TIME = Duration.ofSeconds(60);

    /**
     * Puts the settings together.
     *
     * @param own what the host has set in code
     * @param web what agents may look up by that
     * @param directory the project directory
     * @param known takes out the secrets that are known by now
     * @param environment where keys of models come from
     * @param loader where coder modes are looked for
     * @throws MaestroException when a setting is missing or wrong
     */
    static ConfiguredSettings of(
            HostSettings own,
            HostWeb web,
            Path directory,
            SecretRedactor known,
            Map<String, String> environment,
            ClassLoader loader) {
        try {
            return ofValid(own, web, directory, known, environment, loader);
        } catch (MaestroException e) {
            String message = String.valueOf(e.getMessage());
            Path file = file(own, directory);
            if (own.config != null || !message.startsWith("$.") || !Files.exists(file)) {
                throw e;
            }
            throw new MaestroException("in " + file + ", " + message, e);
        }
    }

    /** The message of what is wrong with a value begins with its path. */
    private static ConfiguredSettings ofValid(
            HostSettings own,
            HostWeb web,
            Path directory,
            SecretRedactor known,
            Map<String, String> environment,
            ClassLoader loader) {
        Config config = config(own, directory, new ConfigReader(known));
        Architects architects = ArchitectSetters.architects(own, config);
        ConfiguredModels models =
                new ConfiguredModels(config, environment, secret -> HostSecrets.tell(known, List.of(secret)));
        HostCoderMode mode = HostCoderMode.chosen(own, config, loader, known);
        List<McpSource> mcpSources = ConfiguredMcp.sources(own.mcpSources, config, environment);
        HostSecrets.tellHeaders(known, mcpSources);
        String repository = required(either(own.repository, config, "git.repository"), "git.repository", config);
        LlmClient coder = mode != null
                ? null
                : required(
                        own.coderModel != null
                                ? own.coderModel
                                : models.client(CODER_MODEL).orElse(null),
                        CODER_MODEL,
                        config);
        GitTimes gitTimes = new GitTimes(
                seconds(own.gitLocalTime, config, "git.local_time_seconds", GitTimes.DEFAULT.local()),
                seconds(own.gitRemoteTime, config, "git.remote_time_seconds", GitTimes.DEFAULT.remote()));
        Forge forge = own.forge != null ? own.forge : ConfiguredForge.of(config, gitTimes, environment);
        HostSecrets.tell(known, forge.secrets());
        return new ConfiguredSettings(
                repository,
                either(own.targetBranch, config, "git.target_branch"),
                new GitSettings(
                        orElse(either(own.gitUserName, config, "git.user_name"), GitSettings.DEFAULT.userName()),
                        orElse(either(own.gitUserEmail, config, "git.user_email"), GitSettings.DEFAULT.userEmail()),
                        own.signCommits != null
                                ? own.signCommits
                                : config.flag("git.sign_commits").orElse(false),
                        own.conflictGuidance != null
                                ? own.conflictGuidance
                                : config.flag("git.conflict_guidance").orElse(false),
                        gitTimes,
                        own.sparseDirectories.isEmpty()
                                ? sparse(config.texts("git.sparse_directories"))
                                : own.sparseDirectories),
                own.blockTokens != null
                        ? own.blockTokens
                        : config.flag("git.block_tokens").orElse(true),
                own.conventionalCommits != null
                        ? own.conventionalCommits
                        : config.flag("git.conventional_commits").orElse(false),
                forge,
                coder,
                mode,
                architectModel(own, config, models, coder, !architects.needsModel()),
                architects,
                own.maxCoders != null
                        ? own.maxCoders
                        : config.integer("agents.max_coders").orElse(MAX_CODERS),
                own.limits != null ? own.limits : ConfiguredLimits.of(config),
                own.prices != null ? own.prices : models.prices(),
                temperatures(own, config),
                command(own.setupCommand, config, ProjectTask.SETUP),
                command(own.commands.build, config, ProjectTask.BUILD),
                command(own.commands.lint, config, ProjectTask.LINT),
                command(own.commands.test, config, ProjectTask.TEST),
                own.passedOn.isEmpty() ? config.texts("environment.pass") : List.copyOf(own.passedOn),
                config.tree("container").orElse(null),
                seconds(own.leaseTime, config, "lease_time_seconds", LEASE_TIME),
                own.discoverTools != null
                        ? own.discoverTools
                        : config.flag("tools.discover").orElse(true),
                ToolLimits.of(config, own.toolTimes, own.toolResults),
                web.or(config),
                mcpSources,
                ConfiguredCommands.of(config),
                ConfiguredPolicy.of(config, own.policy),
                prompts(own, config, directory),
                own.repositoryInstructions != null
                        ? own.repositoryInstructions
                        : config.flag("prompts.repository_instructions").orElse(true),
                redactor(config, known));
    }

    private static List<String> sparse(List<String> directories) {
        try {
            SparseDirectories unused = SparseDirectories.of(directories);
            return directories;
        } catch (IllegalArgumentException e) {
            throw new MaestroException("$.git.sparse_directories: " + e.getMessage(), e);
        }
    }

    private static Path file(HostSettings own, Path directory) {
        return own.configFile != null
                ? own.configFile
                : directory.resolve(".maestro").resolve("config.json");
    }

    private static Config config(HostSettings own, Path directory, ConfigReader reader) {
        if (own.config != null) {
            return reader.read(own.config, "given as text");
        }
        if (own.configFile != null) {
            return reader.read(own.configFile);
        }
        Path file = file(own, directory);
        return own.readConfig && Files.exists(file) ? reader.read(file) : Config.EMPTY;
    }

    /** The architect's own model, else the coders', although a program works with that. */
    private static LlmClient architectModel(
            HostSettings own, Config config, ConfiguredModels models, @Nullable LlmClient coder, boolean architect) {
        LlmClient given = own.architectModel != null
                ? own.architectModel
                : models.client("agents.architect_model").orElse(coder != null ? coder : own.coderModel);
        if (given != null) {
            return given;
        }
        Optional<LlmClient> coders;
        try {
            coders = models.client(CODER_MODEL);
        } catch (MaestroException e) {
            if (architect) {
                return new MissingModel();
            }
            throw new MaestroException(
                    "$.agents.architect_model: must be set, or architectModel in code, since the coders' model cannot be the"
                            + " architect's, too: " + e.getMessage(),
                    e);
        }
        return coders.orElseGet(() -> {
            if (architect) {
                return new MissingModel();
            }
            return required(null, "agents.architect_model", config);
        });
    }

    private static Map<String, Double> temperatures(HostSettings own, Config config) {
        Map<String, Double> temperatures = new HashMap<>();
        Config given = config.object("agents.temperatures");
        for (String state : given.names()) {
            given.number(state)
                    .ifPresent(value -> temperatures.put(state.toUpperCase(Locale.ROOT), value.doubleValue()));
        }
        own.temperatures.forEach((state, value) -> temperatures.put(state.name(), value));
        return Map.copyOf(temperatures);
    }

    private static Prompts prompts(HostSettings own, Config config, Path directory) {
        Map<String, String> templates = new HashMap<>();
        Path found = directory.resolve(".maestro").resolve("prompts");
        if (own.readConfig && Files.exists(found)) {
            templates.putAll(PromptDirectory.read(found));
        }
        Path named = own.promptDirectory != null
                ? own.promptDirectory
                : config.text("prompts.directory").map(directory::resolve).orElse(null);
        if (named != null) {
            templates.putAll(PromptDirectory.read(named));
        }
        templates.putAll(own.prompts);
        return new Prompts(templates);
    }

    /** The file's rules after the others: what either finds is taken out. */
    private static Redactor redactor(Config config, SecretRedactor known) {
        List<Config> patterns = config.objects("redaction.patterns");
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
        };
    }

    private static @Nullable String either(@Nullable String own, Config config, String path) {
        return own != null ? own : config.text(path).orElse(null);
    }

    private static @Nullable String command(@Nullable String own, Config config, ProjectTask task) {
        String line = either(own, config, task.setting());
        return line == null ? null : HostSettings.command(task.setting(), line);
    }

    private static Duration seconds(@Nullable Duration own, Config config, String path, Duration otherwise) {
        return own != null ? own : config.seconds(path).orElse(otherwise);
    }

    private static <T> T orElse(@Nullable T value, T other) {
        return value != null ? value : other;
    }

    /** What is missing is named by its key where settings are read from a file, else by the builder's method, too. */
    private static <T> T required(@Nullable T value, String key, Config config) {
        if (value == null) {
            String name = key.substring(key.indexOf('.') + 1).replace("_model", "Model");
            String both = name + " must be set: by Maestro.builder()." + name + "(…), or " + key;
            throw new MaestroException(
                    config == Config.EMPTY ? both + " in .maestro/config.json" : "$." + key + ": must be set");
        }
        return value;
    }

    /** A limit on cost that cannot be kept is refused. The model of a coder mode may be an alias: its first request tells. */
    void requirePrices() {
        Map<String, String> models = new HashMap<>();
        if (coderModel != null) {
            models.put("the coders'", coderModel.model());
        }
        if (!(architectModel instanceof MissingModel)) {
            models.put("the architect's", architectModel.model());
        }
        CostControl.requirePrices(limits, prices::cost, models);
    }

    RepositoryInstructions instructions(GitRepository git) {
        return new RepositoryInstructions(git, redactor, repositoryInstructions, limits.contextTokens());
    }

    ProjectTests tests() {
        return new ProjectTests(
                new ProjectCommands(setupCommand, buildCommand, lintCommand, testCommand, limits.testTime()));
    }

    void requireTools(Collection<ToolDefinition> tools) {
        HostTools.requireKnown(tools, toolLimits, policies);
        HostTools.requirePossible(tools, BuiltinTools.needed(), policies);
    }

    Function<Path, Executor> localExecutors() {
        if (ProcessHandle.current().pid() == 1) {
            LOG.warn(
                    "this JVM is process 1 of a container, and nobody takes away the processes that agents' commands leave"
                            + " behind when they have ended: start the container with an init process, as docker run --init does");
        }
        return workspace -> LocalExecutor.builder(workspace)
                .environment(passedOn.toArray(String[]::new))
                .build();
    }
}
