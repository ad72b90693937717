package io.maestro.team.internal.loop;

import io.maestro.environment.Environments;
import io.maestro.git.internal.GitRepository;
import io.maestro.instructions.internal.RepositoryInstructions;
import io.maestro.project.internal.ProjectCommands;
import io.maestro.project.internal.ProjectTests;
import io.maestro.project.internal.TestSlots;
import io.maestro.prompt.internal.Prompts;
import io.maestro.record.internal.Store;
import io.maestro.runtime.ToolRegistry;
import io.maestro.secrets.Redactor;
import io.maestro.settings.CommandOptions;
import io.maestro.settings.Settings;
import io.maestro.telemetry.Telemetry;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * What the parts of a team share: the settings, and what was opened by them. Immutable; the parts are safe for use by several
 * threads.
 */
public final class Resources {
    private final Settings settings;
    private final String sessionId;
    private final GitRepository git;
    private final Environments environments;
    private final Store store;
    private final ToolRegistry registry;
    private final Map<Class<?>, Object> services;
    private final Telemetry telemetry;
    private final Prompts prompts;
    private final ProjectTests tests;
    private final RepositoryInstructions instructions;

    /**
     * Takes what was opened.
     *
     * @param sessionId identifies this process in the record
     * @param services what tools can ask for in their context, by its type
     * @throws io.maestro.error.MaestroException when a prompt of the host cannot be used
     */
    public Resources(
            Settings settings,
            String sessionId,
            GitRepository git,
            Environments environments,
            Store store,
            ToolRegistry registry,
            Map<Class<?>, Object> services,
            Telemetry telemetry) {
        this.settings = settings;
        this.sessionId = sessionId;
        this.git = git;
        this.environments = environments;
        this.store = store;
        this.registry = registry;
        this.telemetry = telemetry;
        this.prompts = new Prompts(settings.prompts().templates());
        this.tests = tests(settings.commands(), settings.limits().testTime());
        this.instructions = new RepositoryInstructions(
                git,
                settings.redactor(),
                settings.prompts().repositoryInstructions(),
                settings.limits().contextTokens());
        Map<Class<?>, Object> all = new HashMap<>(services);
        all.put(ProjectTests.class, tests);
        all.put(Redactor.class, settings.redactor());
        this.services = Map.copyOf(all);
    }

    /** The same with one more service for tools. */
    public <T> Resources with(Class<T> type, T service) {
        Map<Class<?>, Object> all = new HashMap<>(services);
        all.put(type, service);
        return new Resources(settings, sessionId, git, environments, store, registry, all, telemetry);
    }

    /** Runs the commands of the project. */
    public static ProjectTests tests(CommandOptions commands, Duration testTime) {
        return new ProjectTests(
                new ProjectCommands(
                        commands.setup().orElse(null),
                        commands.build().orElse(null),
                        commands.lint().orElse(null),
                        commands.test().orElse(null),
                        testTime),
                new TestSlots(commands.testsAtOnce()));
    }

    /** What code and file have set. */
    public Settings settings() {
        return settings;
    }

    /** Identifies this process in the record. */
    public String sessionId() {
        return sessionId;
    }

    /** The repository. */
    public GitRepository git() {
        return git;
    }

    /** Where commands run. */
    public Environments environments() {
        return environments;
    }

    /** The record. */
    public Store store() {
        return store;
    }

    /** The tools. */
    public ToolRegistry registry() {
        return registry;
    }

    /** What tools can ask for in their context, by its type. */
    public Map<Class<?>, Object> services() {
        return services;
    }

    /** Traces what is done. */
    public Telemetry telemetry() {
        return telemetry;
    }

    /** What models are told. */
    public Prompts prompts() {
        return prompts;
    }

    /** Prepares checkouts and runs the project's tests. */
    public ProjectTests tests() {
        return tests;
    }

    /** What the repository tells models. */
    public RepositoryInstructions instructions() {
        return instructions;
    }

    /** Takes secrets out of texts. */
    public Redactor redactor() {
        return settings.redactor();
    }
}
