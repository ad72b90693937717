package io.maestro;

import io.maestro.audit.Redactor;
import io.maestro.audit.SecretRedactor;
import io.maestro.audit.Store;
import io.maestro.builtin.internal.Todos;
import io.maestro.chat.internal.ChatRoom;
import io.maestro.environment.EnvironmentFactory;
import io.maestro.environment.Environments;
import io.maestro.error.MaestroException;
import io.maestro.event.MaestroListener;
import io.maestro.exec.Executor;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.git.Forge;
import io.maestro.git.internal.GitRepository;
import io.maestro.git.internal.SecretCheck;
import io.maestro.monitor.internal.MonitorServer;
import io.maestro.runtime.ToolRegistry;
import io.maestro.team.internal.Team;
import io.maestro.team.internal.TeamConfig;
import io.maestro.team.internal.machine.EventQueues;
import io.maestro.team.internal.machine.Events;
import io.maestro.team.internal.program.CoderProgram;
import io.maestro.tools.ToolFactory;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Collects the settings of a {@link Maestro}. Project directory, repository and the coders' model must be set; everything
 * else has a default. What is data can also stand in {@code .maestro/config.json} in the project directory; what is set here
 * wins over that. Not safe for use by several threads.
 */
public final class MaestroBuilder extends WatchSetters {
    private Map<String, String> environment = System.getenv();
    private @Nullable Path projectDirectory;
    private final List<String> secrets = new ArrayList<>();
    private @Nullable SecretRedactor redactor;
    private final ProjectRecord record = new ProjectRecord();
    private final HostEnvironments environments = new HostEnvironments();
    private final List<MaestroListener> listeners = new ArrayList<>();

    MaestroBuilder() {}

    @Override
    MaestroBuilder self() {
        return this;
    }

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
     * Says that the repository had another address before, so that the record of that address still counts. Not needed
     * where host and path are the same, whatever the protocol and the user ({@code https://example.org/app.git},
     * {@code git@example.org:app}). A record that belongs to neither is refused.
     *
     * @param url the URL or path of before
     * @return this
     */
    public MaestroBuilder formerRepository(String url) {
        record.formerRepository(Objects.requireNonNull(url, "url"));
        return this;
    }

    /**
     * Keeps the record in a database of the host's instead of a file in the project directory, so that several processes,
     * each with a project directory of its own, can share the work: a story that several of them were given is done by one,
     * and taken over by another when that one dies.
     *
     * <p>The record belongs to one repository. For several in one database give each a schema of its own: {@link
     * #dataSource(DataSource, String)}.
     *
     * @param database PostgreSQL 12 or later; takes two connections while the Maestro lives, and a third while the host reads
     *     {@link Maestro#auditLog()}
     * @return this
     */
    public MaestroBuilder dataSource(DataSource database) {
        record.database(Objects.requireNonNull(database, "database"), null);
        return this;
    }

    /**
     * Keeps the record in a schema of a host's database, as {@link #dataSource(DataSource)} does in the connections' current
     * one: so that one database serves many repositories, each with a record of its own. The records share nothing: each has
     * its own stories, leases and chat, is upgraded by its own Maestros, and can be granted, saved and dropped by itself.
     *
     * @param database PostgreSQL 12 or later; takes two connections while the Maestro lives, and a third while the host reads
     *     {@link Maestro#auditLog()}
     * @param schema made when it is not there; all Maestros that work on the repository name the same one. 1 to 63 small
     *     letters of ASCII, digits and underscores, no digit first, and not {@code pg_} at the beginning
     * @return this
     */
    public MaestroBuilder dataSource(DataSource database, String schema) {
        record.database(Objects.requireNonNull(database, "database"), Objects.requireNonNull(schema, "schema"));
        return this;
    }

    /**
     * Sets how finished branches are merged.
     *
     * @param hosting the default merges and pushes with git alone, which works on any repository
     * @return this
     */
    public MaestroBuilder forge(Forge hosting) {
        own.forge = Objects.requireNonNull(hosting, "hosting");
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
        secrets.add(HostSettings.secret(value));
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
        this.redactor = Objects.requireNonNull(secretRedactor, "secretRedactor");
        return this;
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
        environments.executor(Objects.requireNonNull(factory, "factory"));
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
        environments.factory(Objects.requireNonNull(factory, "factory"));
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
        environments.id(Objects.requireNonNull(id, "id"));
        return this;
    }

    /**
     * Adds a tool, whether or not tools are discovered.
     *
     * @param factory makes the tool
     * @return this
     */
    public MaestroBuilder tool(ToolFactory factory) {
        tools.add(Objects.requireNonNull(factory, "factory"));
        return this;
    }

    /**
     * Sets where tools, {@linkplain #environment(String) environments} and {@linkplain #coderMode(String) coder modes} are
     * looked for.
     *
     * @param loader the default is the context class loader of the thread that calls {@link #build}, or, where that does not see
     *     Maestro as in many build tools, the one that has loaded Maestro
     * @return this
     */
    public MaestroBuilder toolClassLoader(ClassLoader loader) {
        tools.loader(Objects.requireNonNull(loader, "loader"));
        return this;
    }

    /**
     * Gives the tools an object of the host, such as a client of its issue tracker; a tool gets it from its context.
     *
     * @param <T> the type under which tools ask for it
     * @param type the type under which tools ask for it
     * @param instance safe for use by several threads
     * @return this
     */
    public <T> MaestroBuilder service(Class<T> type, T instance) {
        tools.service(Objects.requireNonNull(type, "type"), Objects.requireNonNull(instance, "instance"));
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
        return open(directory, settings(directory), record, true);
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
        ConfiguredSettings set = settings(directory);
        return ScratchDirectory.use(scratch -> {
            HostTools.copyAgreed(directory.resolve(".maestro"), scratch.resolve(".maestro"));
            try (Maestro maestro = open(scratch, set, new ProjectRecord(), false)) {
                return maestro.check();
            }
        });
    }

    /** @param takes whether the project is taken; else it is looked at in a directory for temporary files */
    private Maestro open(Path directory, ConfiguredSettings set, ProjectRecord record, boolean takes) {
        set.requirePrices();
        Redactor secretRedactor = set.redactor();
        EnvironmentFactory sandbox = environments.chosen(set, tools.loader());
        ToolRegistry registry = tools.registry(secretRedactor, set.discoverTools(), set.toolLimits(), set.web());
        HostTools.addCommands(set.commands(), registry);
        registry.policies(set.policies());
        if (sandbox == null && set.mcpSources().isEmpty()) {
            set.requireTools(registry.definitions());
        }
        GitRepository git = new GitRepository(
                directory, set.repository(), set.git(), new SecretCheck(secretRedactor, secrets, set.blockTokens()));
        String sessionId = UUID.randomUUID().toString();

        Deque<AutoCloseable> opened = new ArrayDeque<>();
        try {
            ProjectLock lock = ProjectLock.acquire(directory);
            opened.push(lock);
            Store store = record.open(directory, secretRedactor);
            opened.push(store);
            record.begin(store, sessionId, git, secretRedactor);
            if (!record.isShared()) {
                // The lock on the project directory shows that no other process is alive that used this record.
                store.leases().releaseAllBut(sessionId);
            }
            Environments surroundings =
                    environments.open(sandbox, set, git, sessionId, environment, store::recordConnection);
            opened.push(surroundings);
            surroundings.tools().forEach(registry::register);
            Runnable borrowed = HostTools.borrow(
                    set.mcpSources(), registry, directory.resolve(".maestro"), takes, environment, secretRedactor);
            opened.push(borrowed::run);
            set.requireTools(registry.definitions());
            HostCoderMode mode = set.coderMode();
            CoderProgram program = mode == null ? null : mode.open(directory, sessionId, environment, secretRedactor);
            if (program != null) {
                opened.push(program.mode());
            }
            MonitorServer monitor = takes ? startMonitor() : null;
            if (monitor != null) {
                opened.push(monitor);
            }
            return maestro(
                    set, registry, git, sessionId, surroundings, program, record, store, borrowed, lock, monitor);
        } catch (RuntimeException | Error e) {
            Ending.giveBack(opened, e);
            throw e;
        }
    }

    private Maestro maestro(
            ConfiguredSettings set,
            ToolRegistry registry,
            GitRepository git,
            String sessionId,
            Environments opened,
            @Nullable CoderProgram program,
            ProjectRecord record,
            Store store,
            Runnable borrowed,
            ProjectLock lock,
            @Nullable MonitorServer monitor) {
        EventQueues queues = new EventQueues();
        List<MaestroListener> all = new ArrayList<>(listeners);
        if (monitor != null) {
            all.add(monitor);
        }
        List<MaestroListener> told = queues.of(all);
        ChatRoom room = new ChatRoom(store, set.redactor(), new Events(told), sessionId);
        Team team = new Team(new TeamConfig(
                sessionId,
                git,
                set.targetBranch(),
                set.forge(),
                set.coderModel(),
                program,
                set.architectModel(),
                set.architects(),
                set.maxCoders(),
                registry,
                tools.services(opened, set.web(), room, new Todos(store, set.redactor())),
                set.policies(),
                opened,
                set.tests(),
                store,
                record.isShared(),
                set.redactor(),
                told,
                set.limits().forHost(set.architects().all()),
                set.leaseTime(),
                set.prices(),
                set.temperatures(),
                set.conventionalCommits(),
                set.prompts(),
                set.instructions(git),
                telemetry()));
        Maestro maestro = new Maestro(
                sessionId,
                team,
                queues,
                registry.problems(),
                store,
                new HostChat(room),
                new ProjectCheck(set, git, program, opened, environments.ownExecutor(), registry),
                Optional.ofNullable(monitor).map(MonitorServer::uri),
                new Ending(sessionId, team, queues, closing(monitor, borrowed), store, lock));
        show(monitor, maestro, team);
        return maestro;
    }

    /** What holds, of all that is set in code and in the file. */
    ConfiguredSettings settings(Path directory) {
        String url = own.repository == null ? "" : own.repository;
        SecretRedactor known = HostSecrets.tell(
                redactor == null ? SecretRedactor.withDefaults() : redactor, secrets, url, environment);
        return ConfiguredSettings.of(own, web, directory, known, environment, tools.loader());
    }

    /** For tests: instead of the variables of this process. */
    MaestroBuilder environment(Map<String, String> variables) {
        this.environment = Map.copyOf(variables);
        return this;
    }
}
