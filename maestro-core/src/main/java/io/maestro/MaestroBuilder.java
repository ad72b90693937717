package io.maestro;

import io.maestro.agent.Architect;
import io.maestro.agent.Limits;
import io.maestro.agent.ModelState;
import io.maestro.audit.Redactor;
import io.maestro.audit.SecretRedactor;
import io.maestro.audit.Store;
import io.maestro.builtin.internal.BuiltinTools;
import io.maestro.builtin.internal.Todos;
import io.maestro.chat.internal.ChatRoom;
import io.maestro.coder.CoderModeFactory;
import io.maestro.environment.EnvironmentFactory;
import io.maestro.environment.Environments;
import io.maestro.error.MaestroException;
import io.maestro.event.MaestroListener;
import io.maestro.exec.Executor;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.git.Forge;
import io.maestro.git.LocalForge;
import io.maestro.git.internal.GitRepository;
import io.maestro.git.internal.SecretCheck;
import io.maestro.llm.LlmClient;
import io.maestro.llm.PriceTable;
import io.maestro.runtime.ToolPolicy;
import io.maestro.runtime.ToolRegistry;
import io.maestro.team.internal.Team;
import io.maestro.team.internal.TeamConfig;
import io.maestro.team.internal.architect.Architects;
import io.maestro.team.internal.machine.Events;
import io.maestro.team.internal.program.CoderProgram;
import io.maestro.tools.ToolFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Collects the settings of a {@link Maestro}. Project directory, repository and the coders' model must be set; everything
 * else has a default. What is data can also stand in {@code .maestro/config.json} in the project directory; what is set here
 * wins over that. Not safe for use by several threads.
 */
public final class MaestroBuilder {
    private final HostSettings own = new HostSettings();
    private Map<String, String> environment = System.getenv();
    private @Nullable Path projectDirectory;
    private Architects architects = Architects.MODEL;
    private @Nullable Forge forge;
    private final List<String> secrets = new ArrayList<>();
    private @Nullable SecretRedactor redactor;
    private final ProjectRecord record = new ProjectRecord();
    private final HostEnvironments environments = new HostEnvironments();
    private final List<ToolFactory> tools = new ArrayList<>();
    private @Nullable ClassLoader toolClassLoader;
    private final Map<Class<?>, Object> services = new HashMap<>();
    private final List<MaestroListener> listeners = new ArrayList<>();

    MaestroBuilder() {}

    /**
     * Sets where Maestro keeps everything: the record in {@code .maestro}, a mirror of the repository in
     * {@code .mirrors}, and a workspace for each coder ({@code coder-001}, …). Made when it is not there. It belongs to the
     * repository that the first story was worked on in, and one Maestro at a time uses it.
     *
     * @param directory a directory of Maestro's own, not the working copy of a person
     * @return this
     */
    public MaestroBuilder projectDirectory(Path directory) {
        this.projectDirectory = Objects.requireNonNull(directory, "directory");
        return this;
    }

    /**
     * Takes settings from a file. What is set in code wins over it, in whatever order the calls come: a whole
     * {@link Limits}, table of prices or list of variables at a time, temperatures state by state. Only the file's rules for
     * secrets and tools hold beside those that are set in code.
     *
     * @param file JSON by {@link Maestro#configSchema()}; read by {@link #build}, instead of
     *     {@code .maestro/config.json} in the project directory, which is read by itself when it is there
     * @return this
     */
    public MaestroBuilder config(Path file) {
        own.configFile = Objects.requireNonNull(file, "file");
        own.config = null;
        return this;
    }

    /**
     * Takes settings from a text, as {@link #config(Path)} does from a file.
     *
     * @param json JSON by {@link Maestro#configSchema()}
     * @return this
     */
    public MaestroBuilder config(String json) {
        own.config = Objects.requireNonNull(json, "json");
        own.configFile = null;
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
        own.readConfig = read;
        return this;
    }

    /**
     * Sets what models are told, in the place of one of Maestro's own prompts. The README lists them and their variables; a
     * template that cannot be used stops the {@linkplain #build build}.
     *
     * @param name the prompt, for example {@code coder-coding}
     * @param template a Mustache template
     * @return this
     */
    public MaestroBuilder prompt(String name, String template) {
        own.prompts.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(template, "template"));
        return this;
    }

    /**
     * Sets where templates are, as files {@code <name>.mustache}. Each prompt is taken from the first of these that has it:
     * {@link #prompt}, this directory, {@code .maestro/prompts} in the project directory, Maestro's own.
     *
     * @param directory a directory
     * @return this
     */
    public MaestroBuilder promptDirectory(Path directory) {
        own.promptDirectory = Objects.requireNonNull(directory, "directory");
        return this;
    }

    /**
     * Sets the repository to work on.
     *
     * @param url a URL or path that git can clone from and push to
     * @return this
     */
    public MaestroBuilder repository(String url) {
        own.repository = Objects.requireNonNull(url, "url");
        return this;
    }

    /**
     * Says that the repository had another address before: what the record holds of that one goes on to count. Not needed
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
     * Sets the branch that stories start from and are merged into.
     *
     * @param branch a branch of the repository; the default is the repository's own default branch
     * @return this
     */
    public MaestroBuilder targetBranch(String branch) {
        own.targetBranch = Objects.requireNonNull(branch, "branch");
        return this;
    }

    /**
     * Sets in whose name agents commit. Merges are committed by Maestro, or by whatever the {@linkplain #forge forge} is.
     *
     * @param name <code>{AGENT_ID}</code> in it is replaced by the agent; the default is <code>Maestro {AGENT_ID}</code>
     * @return this
     */
    public MaestroBuilder gitUserName(String name) {
        own.gitUserName = HostSettings.identity("name", name);
        return this;
    }

    /**
     * Sets the address in agents' commits.
     *
     * @param email <code>{AGENT_ID}</code> in it is replaced by the agent; the default is
     *     <code>{AGENT_ID}@maestro.local</code>
     * @return this
     */
    public MaestroBuilder gitUserEmail(String email) {
        own.gitUserEmail = HostSettings.identity("address", email);
        return this;
    }

    /**
     * Sets how long git may show no progress on this machine, before it is killed and the story fails. Git that computes or
     * prints may take 24 times as long: a large repository needs no other setting, a slow disk may.
     *
     * @param time from 1 second to 1 day; 5 minutes unless set
     * @return this
     */
    public MaestroBuilder gitLocalTime(Duration time) {
        own.gitLocalTime = HostSettings.gitTime("gitLocalTime", time);
        return this;
    }

    /**
     * Sets how long git may show no progress when it talks to the repository, before it is killed and the repository counts
     * as not reachable. Git that reports its progress may take 24 times as long. A {@linkplain #forge forge} of the host's
     * own has limits of its own.
     *
     * @param time from 1 second to 1 day; 15 minutes unless set
     * @return this
     */
    public MaestroBuilder gitRemoteTime(Duration time) {
        own.gitRemoteTime = HostSettings.gitTime("gitRemoteTime", time);
        return this;
    }

    /**
     * Sets whether a change that adds a token of a well-known form, such as one of GitHub or a private key, or what a rule of the
     * host's own {@linkplain #redactor redactor} finds, goes back to the coder before it is reviewed. On by default. Secrets that Maestro knows by their value are never committed, whatever is set here.
     *
     * @param block false where made-up tokens are part of the project
     * @return this
     */
    public MaestroBuilder blockTokens(boolean block) {
        own.blockTokens = block;
        return this;
    }

    /**
     * Sets the coders' model, which is the architect's too unless that is set. In a {@linkplain #coderMode coder mode} other
     * than {@code standard} only its name is used for coders.
     *
     * @param model the model
     * @return this
     */
    public MaestroBuilder coderModel(LlmClient model) {
        own.coderModel = Objects.requireNonNull(model, "model");
        return this;
    }

    /**
     * Sets the architect's model.
     *
     * @param model the model
     * @return this
     */
    public MaestroBuilder architectModel(LlmClient model) {
        own.architectModel = Objects.requireNonNull(model, "model");
        return this;
    }

    /**
     * Puts a person or a rule in the place of the architect's model.
     *
     * @param replacement who answers the coders
     * @return this
     */
    public MaestroBuilder architect(Architect replacement) {
        this.architects =
                new Architects(Objects.requireNonNull(replacement, "replacement"), EnumSet.allOf(Architect.Kind.class));
        return this;
    }

    /**
     * Lets a person or a rule decide on some kinds of requests, such as the merge and more budget, and the architect's model on
     * the others.
     *
     * @param replacement who decides
     * @param kind on what
     * @param more on what else
     * @return this
     */
    public MaestroBuilder architect(Architect replacement, Architect.Kind kind, Architect.Kind... more) {
        this.architects = new Architects(Objects.requireNonNull(replacement, "replacement"), EnumSet.of(kind, more));
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
     * Sets how long a story that nobody sees to any more is left alone, before another process of those that share a
     * {@linkplain #dataSource database} takes it over. A process that lives renews its leases in a third of this time.
     *
     * @param time from 1 second to 1 day; 60 seconds unless set
     * @return this
     */
    public MaestroBuilder leaseTime(Duration time) {
        own.leaseTime = HostSettings.leaseTime(time);
        return this;
    }

    /**
     * Sets how finished branches are merged.
     *
     * @param hosting the default merges and pushes with git alone, which works on any repository
     * @return this
     */
    public MaestroBuilder forge(Forge hosting) {
        this.forge = Objects.requireNonNull(hosting, "hosting");
        return this;
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
        own.coderMode = Discovery.CODER_MODES.checked(mode);
        own.coderModeFactory = null;
        return this;
    }

    /**
     * Sets the program that works in PLANNING and CODING in the place of a model. The coders' model is then a name that is
     * given to the program; no client is needed for it.
     *
     * @param factory makes the mode of this Maestro
     * @return this
     */
    public MaestroBuilder coderMode(CoderModeFactory factory) {
        own.coderModeFactory = Objects.requireNonNull(factory, "factory");
        own.coderMode = null;
        return this;
    }

    /**
     * Sets how many stories run at the same time.
     *
     * @param count from 1 to 999; 3 unless set
     * @return this
     */
    public MaestroBuilder maxCoders(int count) {
        own.maxCoders = HostSettings.maxCoders(count);
        return this;
    }

    /**
     * Sets what a story, and all of them together, may cost.
     *
     * @param bounds the limits
     * @return this
     */
    public MaestroBuilder limits(Limits bounds) {
        own.limits = Objects.requireNonNull(bounds, "bounds");
        return this;
    }

    /**
     * Sets what models cost, by which {@link Limits#costPerStory()} and the {@linkplain Limits#costCap hard limits on cost} are
     * kept.
     *
     * @param table the default is {@link PriceTable#defaults()}, the vendors' list prices
     * @return this
     */
    public MaestroBuilder prices(PriceTable table) {
        own.prices = Objects.requireNonNull(table, "table");
        return this;
    }

    /**
     * Sets the temperature of the models in a state: how much chance there is in what they say. Some models take none, and
     * refuse every request that has one.
     *
     * @param state of the coder or of the architect
     * @param value from 0 to 1; the default is the vendor's
     * @return this
     */
    public MaestroBuilder temperature(ModelState state, double value) {
        own.temperatures.put(Objects.requireNonNull(state, "state"), HostSettings.temperature(state, value));
        return this;
    }

    /**
     * Sets the command that runs the project's tests, as a line for {@code sh} in the root of the workspace.
     *
     * @param line for example {@code make check}; the default is what the project's build file suggests
     * @return this
     */
    public MaestroBuilder testCommand(String line) {
        own.testCommand = HostSettings.testCommand(line);
        return this;
    }

    /**
     * Lets the agents' commands see variables of the host's environment, beside the harmless ones that they always see. What
     * is named here, the agents can read. In a sandbox they see nothing else of the host's. Without effect on an {@linkplain #executor executor of the host's own}.
     *
     * @param names the variables' names
     * @return this
     */
    public MaestroBuilder passEnvironment(String... names) {
        for (String name : names) {
            own.passedOn.add(HostSettings.variable(name));
        }
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
     * Switches the discovery of tools in jars ({@link java.util.ServiceLoader}) on or off. On by default: a tool jar on the
     * class path is offered to the agents without another word. A host that must know exactly what its agents can call
     * switches it off and adds tools by {@link #tool}.
     *
     * @param discover whether to look for tools
     * @return this
     */
    public MaestroBuilder discoverTools(boolean discover) {
        own.discoverTools = discover;
        return this;
    }

    /**
     * Sets where tools, {@linkplain #environment(String) environments} and {@linkplain #coderMode(String) coder modes} are
     * looked for.
     *
     * @param loader the default is the context class loader of the thread that calls {@link #build}
     * @return this
     */
    public MaestroBuilder toolClassLoader(ClassLoader loader) {
        this.toolClassLoader = Objects.requireNonNull(loader, "loader");
        return this;
    }

    /**
     * Gives something to the tools, such as a client of the host's issue tracker; a tool gets it from its context.
     *
     * @param <T> the type under which tools ask for it
     * @param type the type under which tools ask for it
     * @param instance safe for use by several threads
     * @return this
     */
    public <T> MaestroBuilder service(Class<T> type, T instance) {
        services.put(Objects.requireNonNull(type, "type"), Objects.requireNonNull(instance, "instance"));
        return this;
    }

    /**
     * Sets the host's say in every call of a tool.
     *
     * @param say asked before each call; the default lets everything pass
     * @return this
     */
    public MaestroBuilder toolPolicy(ToolPolicy say) {
        own.policy = Objects.requireNonNull(say, "say");
        return this;
    }

    /**
     * Adds someone who watches.
     *
     * @param listener called on the agents' threads
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
     * @throws MaestroException when a setting is missing or wrong, cost is limited and a model has no price, another Maestro uses the project directory, it belongs to
     *     another repository, the record cannot be opened, tools clash, the sandbox cannot be used, or commands and other
     *     things that a killed Maestro left behind cannot be ended; the message says which and what to do
     */
    public Maestro build() {
        Path directory = ConfiguredSettings.required(projectDirectory, "projectDirectory")
                .toAbsolutePath()
                .normalize();
        ConfiguredSettings set = settings(directory);
        set.requirePrices();
        Redactor secretRedactor = set.redactor();
        EnvironmentFactory sandbox = environments.chosen(set, loader());
        ToolRegistry registry = registry(secretRedactor, set.discoverTools());
        if (sandbox == null) {
            set.requireTools(registry.definitions());
        }
        GitRepository git = new GitRepository(
                directory,
                set.repository(),
                set.gitUserName(),
                set.gitUserEmail(),
                set.gitTimes(),
                new SecretCheck(secretRedactor, secrets, set.blockTokens()));
        String sessionId = UUID.randomUUID().toString();

        ProjectLock lock = ProjectLock.acquire(directory);
        try {
            Store store = record.open(directory, secretRedactor);
            try {
                record.begin(store, sessionId, git, secretRedactor);
                if (!record.isShared()) {
                    // The lock on the project directory shows that no other process is alive that used this record.
                    store.leases().releaseAllBut(sessionId);
                }
                Environments opened = environments.open(sandbox, set, git, sessionId, environment);
                try {
                    opened.tools().forEach(registry::register);
                    set.requireTools(registry.definitions());
                    CoderProgram program = program(set, directory, sessionId);
                    try {
                        return maestro(set, registry, git, sessionId, opened, program, store, lock);
                    } catch (RuntimeException | Error e) {
                        if (program != null) {
                            giveBack(program.mode(), e);
                        }
                        throw e;
                    }
                } catch (RuntimeException | Error e) {
                    giveBack(opened, e);
                    throw e;
                }
            } catch (RuntimeException | Error e) {
                store.close();
                throw e;
            }
        } catch (RuntimeException | Error e) {
            lock.close();
            throw e;
        }
    }

    private @Nullable CoderProgram program(ConfiguredSettings set, Path directory, String sessionId) {
        HostCoderMode mode = set.coderMode();
        return mode == null ? null : mode.open(directory, sessionId, environment, set.redactor());
    }

    private Maestro maestro(
            ConfiguredSettings set,
            ToolRegistry registry,
            GitRepository git,
            String sessionId,
            Environments opened,
            @Nullable CoderProgram program,
            Store store,
            ProjectLock lock) {
        ChatRoom room = new ChatRoom(store, set.redactor(), new Events(listeners), sessionId);
        Team team = new Team(new TeamConfig(
                sessionId,
                git,
                set.targetBranch(),
                forge != null
                        ? forge
                        : new LocalForge(set.gitTimes().local(), set.gitTimes().remote()),
                set.coderModel(),
                program,
                set.architectModel(),
                architects,
                set.maxCoders(),
                registry,
                withOwn(opened, room, new Todos(store, set.redactor())),
                set.policy(),
                opened,
                set.testCommand(),
                store,
                record.isShared(),
                set.redactor(),
                listeners,
                set.limits().forHost(architects.kinds()),
                set.leaseTime(),
                set.prices(),
                set.temperatures(),
                set.prompts()));
        return new Maestro(sessionId, team, registry.problems(), store, new HostChat(room), lock);
    }

    /** What holds, of all that is set in code and in the file. */
    ConfiguredSettings settings(Path directory) {
        String url = own.repository == null ? "" : own.repository;
        SecretRedactor known = HostSecrets.tell(
                redactor == null ? SecretRedactor.withDefaults() : redactor, secrets, url, environment);
        return ConfiguredSettings.of(own, directory, known, environment, loader(), !architects.needsModel());
    }

    /** For tests: instead of the variables of this process. */
    MaestroBuilder environment(Map<String, String> variables) {
        this.environment = Map.copyOf(variables);
        return this;
    }

    private ToolRegistry registry(Redactor redactor, boolean discoverTools) {
        ToolRegistry registry = ToolRegistry.builder()
                .builtIn(BuiltinTools.all())
                .redactor(redactor)
                .build();
        tools.forEach(registry::register);
        if (discoverTools) {
            registry.discover(loader());
        }
        return registry;
    }

    private ClassLoader loader() {
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        ClassLoader fallback = context == null ? Maestro.class.getClassLoader() : context;
        return toolClassLoader == null ? fallback : toolClassLoader;
    }

    private static void giveBack(AutoCloseable opened, Throwable failure) {
        try {
            opened.close();
        } catch (Exception e) {
            failure.addSuppressed(e);
        }
    }

    /** The host's services, those of the environments, and Maestro's own for its built-in tools. */
    private Map<Class<?>, Object> withOwn(Environments opened, ChatRoom room, Todos todos) {
        Map<Class<?>, Object> all = new HashMap<>(services);
        opened.services().forEach((type, instance) -> {
            if (all.put(type, instance) != null) {
                throw new MaestroException("the service " + type.getName()
                        + " is given by the host and by the environment: leave out service(…) for it");
            }
        });
        all.put(ChatRoom.class, room);
        all.put(Todos.class, todos);
        return all;
    }
}
