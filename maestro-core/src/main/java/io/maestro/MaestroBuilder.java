package io.maestro;

import io.maestro.agent.Architect;
import io.maestro.agent.Limits;
import io.maestro.agent.internal.Todos;
import io.maestro.agent.spi.AgentFactory;
import io.maestro.builtin.internal.BuiltinTools;
import io.maestro.chat.internal.ChatRoom;
import io.maestro.environment.EnvironmentFactory;
import io.maestro.environment.EnvironmentProject;
import io.maestro.environment.Environments;
import io.maestro.environment.internal.LocalEnvironments;
import io.maestro.error.MaestroException;
import io.maestro.event.MaestroListener;
import io.maestro.exec.Executor;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.git.Forge;
import io.maestro.git.GitOptions;
import io.maestro.git.internal.GitRepository;
import io.maestro.git.internal.SecretCheck;
import io.maestro.git.internal.SnapshotCheckout;
import io.maestro.llm.LlmClient;
import io.maestro.monitor.internal.MonitorServer;
import io.maestro.record.internal.Store;
import io.maestro.runtime.ToolRegistry;
import io.maestro.secrets.Redactor;
import io.maestro.secrets.SecretRedactor;
import io.maestro.settings.AgentOptions;
import io.maestro.settings.CommandOptions;
import io.maestro.settings.EnvironmentOptions;
import io.maestro.settings.PeopleOptions;
import io.maestro.settings.PromptOptions;
import io.maestro.settings.RecordOptions;
import io.maestro.settings.Settings;
import io.maestro.settings.ToolOptions;
import io.maestro.settings.WebOptions;
import io.maestro.team.internal.MonitorSource;
import io.maestro.team.internal.Team;
import io.maestro.team.internal.agent.program.CoderProgram;
import io.maestro.team.internal.dispatch.WorkspaceMarkers;
import io.maestro.team.internal.loop.Resources;
import io.maestro.team.internal.machine.EventQueues;
import io.maestro.team.internal.machine.Events;
import io.maestro.telemetry.Telemetry;
import io.maestro.telemetry.internal.GuardedTelemetry;
import io.maestro.tools.ToolFactory;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collects the settings of a {@link Maestro}. Project directory, repository and the coders' model must be set; everything
 * else has a default. What is data can also stand in {@code .maestro/config.json} in the project directory; what is set here
 * wins over that. Not safe for use by several threads.
 */
public final class MaestroBuilder {
    private static final Logger LOG = LoggerFactory.getLogger(MaestroBuilder.class);

    private final Settings.Builder settings = Settings.builder();
    private final List<MaestroListener> listeners = new ArrayList<>();
    private Map<String, String> environment = System.getenv();
    private Telemetry telemetry = Telemetry.NONE;
    private OptionalInt monitorPort = OptionalInt.empty();
    private @Nullable Path projectDirectory;

    MaestroBuilder() {}

    /**
     * Sets where Maestro keeps everything: the record in {@code .maestro}, a mirror of the repository in
     * {@code .mirrors}, and a workspace for each coder ({@code coder-001}, …). Made when it is not there; one that is there keeps
     * its mode and owner, and what is made in it is closed to other users. It belongs to the repository that the first story was
     * worked on in, and one Maestro at a time uses it.
     *
     * @param directory a directory of Maestro's own, not the working copy of a person; not one that another user has put where all
     *     users may write
     * @return this
     */
    public MaestroBuilder projectDirectory(Path directory) {
        this.projectDirectory = Objects.requireNonNull(directory, "directory");
        return this;
    }

    /**
     * Sets the repository to work on.
     *
     * @param url a URL or path that git can clone from and push to
     * @return this
     */
    public MaestroBuilder repository(String url) {
        return git(git -> git.repository(url));
    }

    /**
     * Sets the coders' model, which is the architect's too unless that is set. In a {@linkplain #coderMode coder mode} other
     * than {@code standard} only its name is used for coders.
     *
     * @param model the model
     * @return this
     */
    public MaestroBuilder coderModel(LlmClient model) {
        return agents(agents -> agents.coderModel(model));
    }

    /**
     * Sets the architect's model.
     *
     * @param model the model
     * @return this
     */
    public MaestroBuilder architectModel(LlmClient model) {
        return agents(agents -> agents.architectModel(model));
    }

    /**
     * Sets who works in PLANNING and CODING, by its name: a jar on the class path announces it ({@link
     * java.util.ServiceLoader}).
     *
     * @param mode {@code standard}, which is the default: Maestro's own loop around a model; or the id of a program's mode,
     *     for example {@code claude-code}, which needs the module maestro-claude
     * @return this
     */
    public MaestroBuilder coderMode(String mode) {
        return agents(agents -> agents.coderMode(mode));
    }

    /**
     * Sets the program that works in PLANNING and CODING in the place of a model. The coders' model is then a name that is
     * given to the program; no client is needed for it.
     *
     * @param factory makes the mode of this Maestro
     * @return this
     */
    public MaestroBuilder coderMode(AgentFactory factory) {
        return agents(agents -> agents.coderMode(factory));
    }

    /**
     * Sets how many stories run at the same time.
     *
     * @param count from 1 to 999; 3 unless set
     * @return this
     */
    public MaestroBuilder maxCoders(int count) {
        return agents(agents -> agents.maxCoders(count));
    }

    /**
     * Sets the command that runs the project's tests, as a line for {@code sh} in the root of the workspace.
     *
     * @param command for example {@code make check}; the default is what the project's build file suggests
     * @return this
     */
    public MaestroBuilder testCommand(String command) {
        return commands(commands -> commands.test(command));
    }

    /**
     * Sets what a story, and all of them together, may cost.
     *
     * @param bounds the limits
     * @return this
     */
    public MaestroBuilder limits(Limits bounds) {
        settings.limits(bounds);
        return this;
    }

    /**
     * Sets how finished branches are merged.
     *
     * @param hosting the default merges and pushes with git alone, which works on any repository
     * @return this
     */
    public MaestroBuilder forge(Forge hosting) {
        settings.forge(hosting);
        return this;
    }

    /**
     * Puts a person or a rule in the place of the architect's model. What it is asked lies in the {@linkplain Maestro#inbox inbox},
     * too, where somebody else may answer first: then its thread is interrupted.
     *
     * @param decider who answers the coders
     * @return this
     */
    public MaestroBuilder architect(Architect decider) {
        return people(people -> people.architect(decider));
    }

    /**
     * Adds a tool, whether or not tools are discovered.
     *
     * @param factory makes the tool
     * @return this
     */
    public MaestroBuilder tool(ToolFactory factory) {
        return tools(tools -> tools.add(factory));
    }

    /**
     * Sets where the agents' commands and the project's tests run, such as a sandbox of the host's own that needs no more than
     * this. Not together with {@code environment}.
     *
     * @param factory makes the executor of a workspace from its directory; the default is {@link LocalExecutor}, which is no
     *     sandbox
     * @return this
     */
    public MaestroBuilder executor(Function<Path, Executor> factory) {
        settings.change(EnvironmentOptions.class, environments -> environments.executor(factory));
        return this;
    }

    /**
     * Sets the sandbox in which the agents' commands and the project's tests run, such as containers. It gets the object
     * {@code container} of the configuration.
     *
     * @param factory makes the environments of this Maestro
     * @return this
     */
    public MaestroBuilder environment(EnvironmentFactory factory) {
        settings.change(EnvironmentOptions.class, environments -> environments.environment(factory));
        return this;
    }

    /**
     * Sets the sandbox in which the agents' commands and the project's tests run, by its name: a jar on the class path
     * announces it ({@link java.util.ServiceLoader}). An object {@code container} in the configuration stands for {@code
     * docker} where nothing is set in code.
     *
     * @param id for example {@code docker}, which is in the module maestro-docker
     * @return this
     */
    public MaestroBuilder environment(String id) {
        settings.change(EnvironmentOptions.class, environments -> environments.environment(id));
        return this;
    }

    /**
     * Changes the settings for git, such as branch, identity and signing of commits.
     *
     * @param change gets what is set so far
     * @return this
     */
    public MaestroBuilder git(UnaryOperator<GitOptions> change) {
        settings.change(GitOptions.class, change);
        return this;
    }

    /**
     * Changes the settings for models and programs, such as prices and temperatures.
     *
     * @param change gets what is set so far
     * @return this
     */
    public MaestroBuilder agents(UnaryOperator<AgentOptions> change) {
        settings.change(AgentOptions.class, change);
        return this;
    }

    /**
     * Changes who decides on what: people, rules, or the architect's model.
     *
     * @param change gets what is set so far
     * @return this
     */
    public MaestroBuilder people(UnaryOperator<PeopleOptions> change) {
        settings.change(PeopleOptions.class, change);
        return this;
    }

    /**
     * Changes the project's commands, and the variables that commands see.
     *
     * @param change gets what is set so far
     * @return this
     */
    public MaestroBuilder commands(UnaryOperator<CommandOptions> change) {
        settings.change(CommandOptions.class, change);
        return this;
    }

    /**
     * Changes the settings for tools: which there are, their limits, and the policy for their calls.
     *
     * @param change gets what is set so far
     * @return this
     */
    public MaestroBuilder tools(UnaryOperator<ToolOptions> change) {
        settings.change(ToolOptions.class, change);
        return this;
    }

    /**
     * Changes what agents may look up on the web; nothing unless set.
     *
     * @param change gets what is set so far
     * @return this
     */
    public MaestroBuilder web(UnaryOperator<WebOptions> change) {
        settings.change(WebOptions.class, change);
        return this;
    }

    /**
     * Changes what models are told.
     *
     * @param change gets what is set so far
     * @return this
     */
    public MaestroBuilder prompts(UnaryOperator<PromptOptions> change) {
        settings.change(PromptOptions.class, change);
        return this;
    }

    /**
     * Changes where the record is kept: in a database of the host's, which several processes share, instead of a file in the
     * project directory.
     *
     * @param change gets what is set so far
     * @return this
     */
    public MaestroBuilder record(UnaryOperator<RecordOptions> change) {
        settings.change(RecordOptions.class, change);
        return this;
    }

    /**
     * Takes settings from a file. What is set in code wins over it, in whatever order the calls come: a whole
     * {@link Limits}, table of prices or list of variables at a time, temperatures state by state. Only the file's rules for
     * secrets and tools hold beside those that are set in code.
     *
     * @param file JSON by {@link Maestro#configSchema()}; read by {@link #build}, instead of {@code .maestro/config.json} in the
     *     project directory, which is read by itself when it is there
     * @return this
     */
    public MaestroBuilder config(Path file) {
        settings.config(file);
        return this;
    }

    /**
     * Takes settings from a text, as {@link #config(Path)} does from a file.
     *
     * @param json JSON by {@link Maestro#configSchema()}
     * @return this
     */
    public MaestroBuilder config(String json) {
        settings.config(json);
        return this;
    }

    /**
     * Switches on or off that {@code .maestro/config.json} and {@code .maestro/prompts} in the project directory are read
     * by themselves. On by default. A host that must know exactly what holds switches it off.
     *
     * @param read whether to read them
     * @return this
     */
    public MaestroBuilder readConfig(boolean read) {
        settings.readConfig(read);
        return this;
    }

    /**
     * Names a secret of the host that must never be stored, shown, committed or sent to a model. Well-known forms of keys, and the values
     * of environment variables whose names say that they are secret, are taken out without being named.
     *
     * @param value at least 6 characters
     * @return this
     */
    public MaestroBuilder secret(String value) {
        settings.secret(value);
        return this;
    }

    /**
     * Sets what takes secrets out of texts, with rules of the host's own ({@link SecretRedactor#builder()}). Maestro tells it
     * the secrets that it knows.
     *
     * @param secretRedactor the default knows many forms of keys and tokens
     * @return this
     */
    public MaestroBuilder redactor(SecretRedactor secretRedactor) {
        settings.redactor(secretRedactor);
        return this;
    }

    /**
     * Serves a page on which people watch stories while they run, answer what waits for them, write to the agents, and pause, cancel
     * and retry stories. It is reached from this machine only, at {@link Maestro#monitor()}: the address has a random token, and
     * whoever has it may decide, so show it to nobody else.
     *
     * @param port on 127.0.0.1; 0 for any that is free
     * @return this
     * @throws IllegalArgumentException when it is no port
     */
    public MaestroBuilder monitor(int port) {
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("a port is a number from 0 to 65535, not " + port);
        }
        monitorPort = OptionalInt.of(port);
        return this;
    }

    /**
     * Traces agents, models and tools, such as by {@link io.maestro.telemetry.otel.OpenTelemetryTracing}.
     *
     * @param tracer safe for use by several threads; what it throws is logged, and harms no work
     * @return this
     */
    public MaestroBuilder telemetry(Telemetry tracer) {
        telemetry = new GuardedTelemetry(Objects.requireNonNull(tracer, "tracer"));
        return this;
    }

    /**
     * Adds a listener, which is told of states, tools, models, replies and chat messages.
     *
     * @param listener called by a thread of Maestro's own, so that it keeps no agent waiting
     * @return this
     */
    public MaestroBuilder listener(MaestroListener listener) {
        listeners.add(Objects.requireNonNull(listener, "listener"));
        return this;
    }

    /**
     * Makes the Maestro: takes the project directory, opens the record, finds the tools. The repository is first looked at
     * when a story runs.
     *
     * @return the Maestro; close it
     * @throws MaestroException when a setting is missing or wrong, cost is limited and a model has no price, another Maestro
     *     uses the project directory, it belongs to another repository, the record cannot be opened, tools clash, the sandbox
     *     cannot be used, or commands and other things that a killed Maestro left behind cannot be ended; the message says which
     *     and what to do
     */
    public Maestro build() {
        Path directory = ProjectLock.safe(projectDirectory);
        return open(directory, settings(directory), true);
    }

    /**
     * Checks what stories need, as {@link Maestro#check} does, without taking the project directory: nothing is changed in it, and
     * a Maestro may use it meanwhile. The record is not looked at.
     *
     * @return what was found; what is wrong with the project is a finding, not an exception
     * @throws MaestroException when a setting is missing or wrong, or there would be no Maestro for another reason
     */
    public CheckReport check() {
        Path directory = ProjectLock.safe(projectDirectory);
        Settings set = settings(directory);
        return ScratchDirectory.use(scratch -> {
            ToolSetup.copyAgreed(directory.resolve(".maestro"), scratch.resolve(".maestro"));
            try (Maestro maestro = open(scratch, set.with(RecordOptions.defaults()), false)) {
                return maestro.check();
            }
        });
    }

    /** @param takes whether the project is taken; else it is looked at in a directory for temporary files */
    private Maestro open(Path directory, Settings set, boolean takes) {
        set.requirePrices();
        Redactor redactor = set.redactor();
        EnvironmentFactory sandbox =
                set.environment().factory(set.tools().classLoader(), redactor).orElse(null);
        ToolSetup tools = new ToolSetup(set.tools(), set.web(), redactor);
        ToolRegistry registry = tools.registry(BuiltinTools.all());
        if (sandbox == null && set.tools().mcpSources().isEmpty()) {
            tools.requirePossible(registry, BuiltinTools.needed());
        }
        GitRepository git = new GitRepository(
                directory,
                set.repository(),
                set.git(),
                new SecretCheck(redactor, settings.secrets(), set.git().blockTokens()));
        String sessionId = UUID.randomUUID().toString();

        Deque<AutoCloseable> opened = new ArrayDeque<>();
        try {
            ProjectLock lock = ProjectLock.acquire(directory);
            opened.push(lock);
            ProjectRecord record = new ProjectRecord(set.record());
            Store store = record.open(directory, redactor);
            opened.push(store);
            record.begin(store, sessionId, git, redactor);
            if (!record.isShared()) {
                // The lock on the project directory shows that no other process is alive that used this record.
                store.leases().releaseAllBut(sessionId);
            }
            Environments surroundings =
                    sandbox == null ? localEnvironments(set, git) : environments(sandbox, set, git, sessionId, store);
            opened.push(surroundings);
            surroundings.tools().forEach(registry::register);
            Runnable borrowed = tools.borrow(registry, directory.resolve(".maestro"), takes, environment);
            opened.push(borrowed::run);
            tools.requirePossible(registry, BuiltinTools.needed());
            CoderProgram program = set.agents()
                    .program()
                    .map(factory -> new CoderProgram(
                            factory.id(),
                            Objects.requireNonNull(
                                    factory.open(set.agents().project(directory, sessionId, environment, redactor)),
                                    () -> factory.getClass().getName() + ".open")))
                    .orElse(null);
            if (program != null) {
                opened.push(program.mode());
            }
            MonitorServer monitor =
                    takes && monitorPort.isPresent() ? MonitorServer.start(monitorPort.getAsInt()) : null;
            if (monitor != null) {
                opened.push(monitor);
            }
            EventQueues queues = new EventQueues();
            List<MaestroListener> all = new ArrayList<>(listeners);
            if (monitor != null) {
                all.add(monitor);
            }
            List<MaestroListener> told = queues.of(all);
            ChatRoom room = new ChatRoom(store, redactor, new Events(told), sessionId);
            Map<Class<?>, Object> services = tools.services(surroundings);
            services.put(ChatRoom.class, room);
            services.put(Todos.class, new Todos(store, redactor));
            Resources resources =
                    new Resources(set, sessionId, git, surroundings, store, registry, services, telemetry);
            Team team = new Team(resources, told, program);
            Runnable closing = () -> {
                // The page first: it shows what is closed after it.
                if (monitor != null) {
                    monitor.close();
                }
                borrowed.run();
            };
            Maestro maestro = new Maestro(
                    resources,
                    team,
                    queues,
                    new HostChat(room),
                    new ProjectCheck(resources, program),
                    Optional.ofNullable(monitor).map(MonitorServer::uri),
                    new Shutdown(sessionId, team, queues, closing, store, lock));
            if (monitor != null) {
                monitor.show(new MonitorSource(
                        maestro.auditLog(),
                        maestro.inbox(),
                        maestro.chat(),
                        team.limits(),
                        maestro::agents,
                        team::mergedDiff,
                        team.work()));
            }
            return maestro;
        } catch (RuntimeException | Error e) {
            Shutdown.giveBack(opened, e);
            throw e;
        }
    }

    private static Environments localEnvironments(Settings set, GitRepository git) {
        WorkspaceMarkers markers = new WorkspaceMarkers(git.projectDirectory());
        return new LocalEnvironments(
                set.environment().executor().orElseGet(() -> localExecutors(set)),
                git.projectDirectory(),
                () -> Stream.concat(
                                markers.leftInUse().stream(),
                                SnapshotCheckout.existing(git.projectDirectory()).stream())
                        .toList());
    }

    private static Function<Path, Executor> localExecutors(Settings set) {
        if (ProcessHandle.current().pid() == 1) {
            LOG.warn(
                    "this JVM is process 1 of a container, and nobody takes away the processes that agents' commands leave"
                            + " behind when they have ended: start the container with an init process, as docker run --init does");
        }
        return workspace -> LocalExecutor.builder(workspace)
                .environment(set.commands().passedVariables().toArray(String[]::new))
                .build();
    }

    private Environments environments(
            EnvironmentFactory sandbox, Settings set, GitRepository git, String sessionId, Store store) {
        Map<String, String> variables = new HashMap<>(environment);
        variables.keySet().retainAll(set.commands().passedVariables());
        return Objects.requireNonNull(
                sandbox.open(new EnvironmentProject(
                        git.projectDirectory(),
                        sessionId,
                        git.mirror(),
                        set.environment().container(),
                        variables,
                        set.redactor(),
                        store::recordConnection)),
                () -> sandbox.getClass().getName() + ".open");
    }

    /** What holds, of all that is set in code and in the file. */
    Settings settings(Path directory) {
        return settings.build(directory, environment);
    }

    /** For tests: instead of the variables of this process. */
    MaestroBuilder environment(Map<String, String> variables) {
        this.environment = Map.copyOf(variables);
        return this;
    }
}
