package io.maestro;

import io.maestro.agent.Agent;
import io.maestro.agent.Limits;
import io.maestro.agent.spi.AgentFactory;
import io.maestro.environment.EnvironmentFactory;
import io.maestro.error.MaestroException;
import io.maestro.event.MaestroListener;
import io.maestro.exec.Executor;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmStreamListener;
import io.maestro.llm.PriceTable;
import io.maestro.runtime.ToolApprover;
import io.maestro.secrets.Redactor;
import io.maestro.secrets.SecretRedactor;
import io.maestro.settings.CommandOptions;
import io.maestro.settings.EnvironmentOptions;
import io.maestro.settings.HostSecrets;
import io.maestro.settings.ToolOptions;
import io.maestro.settings.WebOptions;
import io.maestro.telemetry.Telemetry;
import io.maestro.telemetry.internal.GuardedTelemetry;
import io.maestro.tools.ToolFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Collects the settings of an {@link Agent} that works alone. A directory, and either a model or a program, must be set;
 * everything else has a default. Beside the tools that are given or found the agent has Maestro's own for files, commands and
 * todos; {@code done} and {@code report_blocked} end its task. Not safe for use by several threads.
 */
public final class AgentBuilder {
    final List<String> secrets = new ArrayList<>();
    final List<MaestroListener> listeners = new ArrayList<>();
    ToolOptions tools = ToolOptions.defaults();
    WebOptions web = WebOptions.defaults();
    CommandOptions commands = CommandOptions.defaults();
    EnvironmentOptions environment = EnvironmentOptions.defaults();
    ToolApprover approver = ToolApprover.NOBODY;
    String id = "agent";
    String role = "agent";
    Limits limits = Limits.defaults();
    PriceTable prices = PriceTable.defaults();
    LlmStreamListener stream = LlmStreamListener.NONE;
    Telemetry telemetry = Telemetry.NONE;
    Map<String, Object> programSettings = Map.of();

    @Nullable
    Path directory;

    @Nullable
    LlmClient model;

    @Nullable
    AgentFactory program;

    @Nullable
    String instructions;

    @Nullable
    Path record;

    @Nullable
    SecretRedactor redactor;

    AgentBuilder() {}

    /**
     * Sets where the agent works. It may change all that is in there.
     *
     * @param workspace a directory that exists
     * @return this
     */
    public AgentBuilder directory(Path workspace) {
        this.directory = Objects.requireNonNull(workspace, "workspace");
        return this;
    }

    /**
     * Lets Maestro's own loop around a model be the agent.
     *
     * @param client the model
     * @return this
     */
    public AgentBuilder model(LlmClient client) {
        this.model = Objects.requireNonNull(client, "client");
        this.program = null;
        return this;
    }

    /**
     * Lets a program be the agent, such as the Claude Code CLI of the module maestro-claude.
     *
     * @param factory makes it
     * @return this
     */
    public AgentBuilder program(AgentFactory factory) {
        return program(factory, Map.of());
    }

    /**
     * Lets a program be the agent, with settings as they stand in a configuration file.
     *
     * @param factory makes it
     * @param settings the object of the configuration that belongs to it, for example {@code claude_code}; a tree of JSON types
     * @return this
     */
    public AgentBuilder program(AgentFactory factory, Map<String, Object> settings) {
        this.program = Objects.requireNonNull(factory, "factory");
        this.programSettings = Map.copyOf(settings);
        this.model = null;
        return this;
    }

    /**
     * Names the agent, for the record, for events and in its prompt.
     *
     * @param name letters, digits and dashes; {@code agent} unless set
     * @return this
     * @throws IllegalArgumentException when it is something else
     */
    public AgentBuilder id(String name) {
        if (!name.matches("[A-Za-z0-9][A-Za-z0-9-]{0,62}")) {
            throw new IllegalArgumentException(
                    "an agent's id is 1 to 63 letters, digits and dashes, no dash first; it is '" + name + "'");
        }
        this.id = name;
        return this;
    }

    /**
     * Names its role, for {@link Agent#role()}.
     *
     * @param name for example {@code reviewer}; {@code agent} unless set
     * @return this
     */
    public AgentBuilder role(String name) {
        this.role = Objects.requireNonNull(name, "name");
        return this;
    }

    /**
     * Replaces Maestro's own system prompt; for a program, sets what is added to the program's own.
     *
     * @param text Markdown. It should say that a task ends with a call of {@code done}
     * @return this
     */
    public AgentBuilder instructions(String text) {
        this.instructions = Objects.requireNonNull(text, "text");
        return this;
    }

    /**
     * Sets where commands run, such as a sandbox of the host's own. Not together with {@code environment}.
     *
     * @param factory makes the executor of the directory; the default is {@link LocalExecutor}, which is no sandbox
     * @return this
     */
    public AgentBuilder executor(Function<Path, Executor> factory) {
        environment = environment.executor(factory);
        return this;
    }

    /**
     * Lets commands run in a sandbox such as a container.
     *
     * @param factory for example {@code DockerEnvironments.builder().build()} of the module maestro-docker
     * @param settings as the object {@code container} of a configuration file; a tree of JSON types, may be empty
     * @return this
     */
    public AgentBuilder environment(EnvironmentFactory factory, Map<String, Object> settings) {
        environment = environment.environment(factory).container(settings);
        return this;
    }

    /**
     * Changes the project's commands, for the tools {@code build}, {@code lint} and {@code test}, and the variables that commands
     * see.
     *
     * @param change gets what is set so far
     * @return this
     */
    public AgentBuilder commands(UnaryOperator<CommandOptions> change) {
        commands = change.apply(commands);
        return this;
    }

    /**
     * Adds a tool.
     *
     * @param factory of a tool that is offered to coders while coding
     * @return this
     */
    public AgentBuilder tool(ToolFactory factory) {
        return tools(tools -> tools.add(factory));
    }

    /**
     * Changes the settings for tools: which there are, their limits, and the policy for their calls.
     *
     * @param change gets what is set so far
     * @return this
     */
    public AgentBuilder tools(UnaryOperator<ToolOptions> change) {
        tools = change.apply(tools);
        return this;
    }

    /**
     * Sets who decides on a call about which the policy asks. The agent waits for as long as {@code Limits.replyTime} of {@code
     * TOOL_CALL} says, which counts as no work; without an answer the call is refused.
     *
     * @param decider nobody unless set: all such calls are refused
     * @return this
     */
    public AgentBuilder toolApprover(ToolApprover decider) {
        approver = Objects.requireNonNull(decider, "decider");
        return this;
    }

    /**
     * Changes what the agent may look up on the web; nothing unless set.
     *
     * @param change gets what is set so far
     * @return this
     */
    public AgentBuilder web(UnaryOperator<WebOptions> change) {
        web = change.apply(web);
        return this;
    }

    /**
     * Sets what the agent may use. Turns hold for each task; tokens, time and cost hold for all its tasks together. Once a
     * {@link Limits#costCap} is spent or reserved, no model is asked any more.
     *
     * @param bounds {@link Limits#defaults()} unless set, which limit no cost
     * @return this
     */
    public AgentBuilder limits(Limits bounds) {
        this.limits = Objects.requireNonNull(bounds, "bounds");
        return this;
    }

    /**
     * Sets what models cost.
     *
     * @param table list prices unless set
     * @return this
     */
    public AgentBuilder prices(PriceTable table) {
        this.prices = Objects.requireNonNull(table, "table");
        return this;
    }

    /**
     * Adds a listener, which is told of models and tools as they work.
     *
     * @param listener called by a thread of Maestro's own; one that throws does no harm
     * @return this
     */
    public AgentBuilder listener(MaestroListener listener) {
        listeners.add(Objects.requireNonNull(listener, "listener"));
        return this;
    }

    /**
     * Sets who is told the model's text while the model writes it; of Claude Code that of the main conversation, without its
     * sub-agents'.
     *
     * @param listener called on the thread that runs the task; for a program on a thread that waits for it, so it should be
     *     quick
     * @return this
     */
    public AgentBuilder stream(LlmStreamListener listener) {
        this.stream = Objects.requireNonNull(listener, "listener");
        return this;
    }

    /**
     * Traces tasks, models and tools, such as by {@link io.maestro.telemetry.otel.OpenTelemetryTracing}.
     *
     * @param tracer safe for use by several threads; what it throws is logged, and harms no work
     * @return this
     */
    public AgentBuilder telemetry(Telemetry tracer) {
        this.telemetry = new GuardedTelemetry(Objects.requireNonNull(tracer, "tracer"));
        return this;
    }

    /**
     * Keeps the record of all messages and calls of tools; {@link io.maestro.MaestroRecord#sqlite} reads it.
     *
     * @param databaseFile an SQLite file, made when it is missing, which several agents may share; by default one of the agent's
     *     own, which is removed when the agent is closed
     * @return this
     */
    public AgentBuilder record(Path databaseFile) {
        this.record = Objects.requireNonNull(databaseFile, "databaseFile");
        return this;
    }

    /**
     * Names a secret of the host that must never be stored, shown or sent to a model.
     *
     * @param value at least 6 characters
     * @return this
     */
    public AgentBuilder secret(String value) {
        secrets.add(HostSecrets.require(value));
        return this;
    }

    /**
     * Sets what takes secrets out of texts.
     *
     * @param secretRedactor the default knows many forms of keys and tokens
     * @return this
     */
    public AgentBuilder redactor(SecretRedactor secretRedactor) {
        this.redactor = Objects.requireNonNull(secretRedactor, "secretRedactor");
        return this;
    }

    /** What takes out all secrets that are known. */
    Redactor knownRedactor() {
        SecretRedactor known = redactor == null ? SecretRedactor.withDefaults() : redactor;
        HostSecrets.tellHeaders(known, tools.mcpSources());
        List<String> named = Stream.concat(
                        secrets.stream(), Stream.ofNullable(program).flatMap(one -> one.secrets().stream()))
                .toList();
        return HostSecrets.tell(known, named, "", System.getenv());
    }

    /**
     * Makes the agent. Nothing is asked yet.
     *
     * @return the agent; close it
     * @throws MaestroException when a setting is missing or wrong, the cost is limited and the model has no price, tools clash,
     *     or the sandbox or the record cannot be used; the message says which and what to do
     */
    public Agent build() {
        return new AgentAssembly(this).build();
    }
}
