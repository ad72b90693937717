package io.maestro.testkit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.builtin.internal.BuiltinTools;
import io.maestro.exec.Executor;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.project.internal.ProjectTests;
import io.maestro.runtime.ToolInvocation;
import io.maestro.runtime.ToolRegistry;
import io.maestro.runtime.ToolRuntime;
import io.maestro.runtime.internal.ContextParts;
import io.maestro.runtime.internal.DefaultCoder;
import io.maestro.runtime.internal.DefaultToolContext;
import io.maestro.runtime.internal.WorkspaceView;
import io.maestro.secrets.Redactor;
import io.maestro.secrets.SecretRedactor;
import io.maestro.tools.AgentTools;
import io.maestro.tools.NetworkAccess;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolException;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Calls one tool as an agent would, without a Maestro: its name, its arguments and its answer go through the same checks and
 * limits, and the tool gets a context. With a {@linkplain Builder#workspace workspace} it has files, a diff and the built-in tools
 * beside it. Safe for use by several threads.
 *
 * <pre>{@code
 * try (ToolTester ticket = ToolTester.of(new TicketTool()).workspace(directory).build()) {
 *     ToolResult answer = ticket.call("{\"key\":\"APP-42\"}");
 *     assertFalse(answer.isError());
 * }
 * }</pre>
 */
public final class ToolTester implements AutoCloseable {
    private static final String AGENT = "coder-001";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final ToolRuntime runtime;
    private final AgentTools tools;
    private final ToolDefinition definition;
    private final ToolInvocation.Caller caller;
    private final List<String> messages = new CopyOnWriteArrayList<>();
    private final AtomicInteger calls = new AtomicInteger();

    private ToolTester(Builder builder) {
        Redactor redactor = builder.redactor();
        ToolRegistry registry = registry(builder, redactor);
        String name = builder.factory.definition().name();
        definition = registry.definitions().stream()
                .filter(tool -> tool.name().equals(name))
                .findFirst()
                .orElseThrow();
        ToolAudience audience = builder.audience != null
                ? builder.audience
                : definition.audiences().stream().min(ToolAudience::compareTo).orElseThrow();
        String state = state(audience);
        caller = new ToolInvocation.Caller("session-1", AGENT, builder.storyId, 1, state);
        Map<Class<?>, Object> services = new HashMap<>(builder.services);
        services.putIfAbsent(Redactor.class, redactor);
        Path workspace = builder.workspace;
        if (workspace != null) {
            services.computeIfAbsent(WorkspaceView.class, type -> new GitWorkspace(AGENT, workspace));
            services.putIfAbsent(DefaultCoder.class, new DefaultCoder(AGENT));
            services.putIfAbsent(ProjectTests.class, new ProjectTests(null, null, definition.timeLimit()));
        }
        DefaultToolContext.Builder context = ContextParts.context(AGENT, audience, builder.storyId, services)
                .at(1, state)
                .network(builder.network)
                .chat(messages::add);
        if (builder.executor != null) {
            context.executor(builder.executor);
        }
        Set<String> offered = registry.definitions().stream()
                .filter(tool ->
                        tool.audiences().contains(audience) || tool.name().equals(name))
                .map(ToolDefinition::name)
                .collect(Collectors.toSet());
        tools = registry.agentTools(context.build(), offered);
        runtime = ToolRuntime.builder()
                .record((call, text) -> {})
                .redactor(redactor)
                .build();
    }

    /** The tool, and those that it may call. It may be a built-in one itself. */
    private static ToolRegistry registry(Builder builder, Redactor redactor) {
        String name = name(builder.factory);
        List<ToolFactory> others = builder.workspace == null
                ? List.of()
                : BuiltinTools.all().stream()
                        .filter(tool -> !tool.definition().name().equals(name))
                        .toList();
        ToolRegistry registry = ToolRegistry.builder()
                .builtIn(others)
                .redactor(redactor)
                .adjust(builder::limited)
                .build()
                .register(builder.factory);
        builder.others.forEach(registry::register);
        return registry;
    }

    /** A definition that fails is the registry's to name. */
    private static String name(ToolFactory factory) {
        try {
            return factory.definition().name();
        } catch (RuntimeException e) {
            return "";
        }
    }

    private static String state(ToolAudience audience) {
        return switch (audience) {
            case CODER_PLANNING -> "PLANNING";
            case CODER_CODING -> "CODING";
            case ARCHITECT -> "ANSWERING";
            case ARCHITECT_SCOPING -> "SCOPING";
            case ARCHITECT_EDITING -> "EDITING";
        };
    }

    /**
     * Starts a tester.
     *
     * @param factory makes the tool
     * @return a builder
     */
    public static Builder of(ToolFactory factory) {
        return new Builder(factory);
    }

    /**
     * What the tool says of itself.
     *
     * @return its definition
     */
    public ToolDefinition definition() {
        return definition;
    }

    /**
     * Calls the tool and waits for its answer, at most for the tool's own time limit and two seconds. When the calling thread is
     * interrupted, the tool is interrupted, too.
     *
     * @param arguments a JSON object as a model writes it; it need not be valid
     * @return what the model would get: a fault of the tool or of the arguments is an answer with {@link ToolResult#isError()}
     */
    public ToolResult call(String arguments) {
        return runtime.call(
                tools, new ToolInvocation("call-" + calls.incrementAndGet(), definition.name(), arguments, caller));
    }

    /**
     * Calls the tool as {@link #call(String)} does.
     *
     * @param arguments by their names; values are strings, numbers, booleans, lists, maps and null
     * @return what the model would get
     * @throws IllegalArgumentException when a value cannot be written as JSON
     */
    public ToolResult call(Map<String, ?> arguments) {
        try {
            return call(JSON.writeValueAsString(arguments));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("no JSON can be made of the arguments " + arguments.keySet(), e);
        }
    }

    /**
     * What tools have {@linkplain ToolContext#post posted}.
     *
     * @return a copy, in their order
     */
    public List<String> posts() {
        return List.copyOf(messages);
    }

    /** Interrupts calls that still run, and closes the tools that were made. */
    @Override
    public void close() {
        runtime.close();
        tools.close();
    }

    /** Made once, as a test class has many testers. Nobody can add a secret to it. */
    private static final class WellKnown {
        static final Redactor SECRETS = SecretRedactor.withDefaults();

        private WellKnown() {}
    }

    /** Collects what the tool may use. Not safe for use by several threads. */
    public static final class Builder {
        private final ToolFactory factory;
        private final Map<Class<?>, Object> services = new HashMap<>();
        private final List<String> secrets = new ArrayList<>();
        private @Nullable ToolAudience audience;
        private final List<ToolFactory> others = new ArrayList<>();
        private @Nullable Executor executor;
        private @Nullable Path workspace;
        private @Nullable Duration timeLimit;
        private NetworkAccess network = NetworkAccess.UNKNOWN;
        private String storyId = "042";

        private Builder(ToolFactory factory) {
            this.factory = Objects.requireNonNull(factory, "factory");
        }

        /**
         * Lets the tool run commands on this machine. Without it, and without {@link #executor}, {@link ToolContext#executor()}
         * fails as for an agent without a workspace.
         *
         * @param workspace where commands run
         * @return this
         */
        public Builder directory(Path workspace) {
            return executor(LocalExecutor.builder(workspace).build());
        }

        /**
         * Gives the tool the workspace of an agent: commands run there, {@link ToolContext#files()} and {@link ToolContext#diff()}
         * work for coders, and it can call Maestro's own tools. What needs more than a workspace, such as a chat that can be
         * read, answers with an error.
         *
         * @param directory an existing directory of this machine. It becomes a git repository, unless it is one; what is in it
         *     now is what the work is compared with. The caller deletes it
         * @return this
         */
        public Builder workspace(Path directory) {
            this.workspace = Objects.requireNonNull(directory, "directory");
            return executor == null ? directory(directory) : this;
        }

        /**
         * Adds another tool, for one that calls it.
         *
         * @param other is offered if it is for the caller's audience
         * @return this
         */
        public Builder tool(ToolFactory other) {
            others.add(Objects.requireNonNull(other, "other"));
            return this;
        }

        /**
         * Sets another time limit for the tool, as a host can.
         *
         * @param limit more than zero
         * @return this
         */
        public Builder timeLimit(Duration limit) {
            this.timeLimit = Objects.requireNonNull(limit, "limit");
            return this;
        }

        /**
         * Says what {@link ToolContext#network()} answers.
         *
         * @param access unknown unless it is set
         * @return this
         */
        public Builder network(NetworkAccess access) {
            this.network = Objects.requireNonNull(access, "access");
            return this;
        }

        private Redactor redactor() {
            if (secrets.isEmpty()) {
                return WellKnown.SECRETS;
            }
            SecretRedactor.Builder redactor = SecretRedactor.builder();
            secrets.forEach(redactor::secret);
            return redactor.build();
        }

        private ToolDefinition limited(ToolDefinition tool) {
            return timeLimit == null || !tool.name().equals(name(factory))
                    ? tool
                    : tool.toBuilder().timeLimit(timeLimit).build();
        }

        /**
         * Lets the tool run commands by an executor.
         *
         * @param commands what {@link ToolContext#executor()} answers
         * @return this
         */
        public Builder executor(Executor commands) {
            this.executor = Objects.requireNonNull(commands, "commands");
            return this;
        }

        /**
         * Says who calls the tool. The workspace is read-only for everybody but {@link ToolAudience#CODER_CODING}.
         *
         * @param caller the role and phase; without it, the first that the tool is offered to
         * @return this
         */
        public Builder audience(ToolAudience caller) {
            this.audience = Objects.requireNonNull(caller, "caller");
            return this;
        }

        /**
         * Gives the tool something of the host, as {@code tools(tools -> tools.service(type, instance))} of a Maestro does.
         *
         * @param <T> the type under which the tool asks for it
         * @param type the type under which the tool asks for it
         * @param instance what it gets
         * @return this
         */
        public <T> Builder service(Class<T> type, T instance) {
            services.put(type, type.cast(instance));
            return this;
        }

        /**
         * Names the story that the caller works on.
         *
         * @param id its id; 042 unless it is set
         * @return this
         */
        public Builder story(String id) {
            this.storyId = Objects.requireNonNull(id, "id");
            return this;
        }

        /**
         * Names a value that must not be in any answer, beside those that Maestro recognises by itself.
         *
         * @param value a secret
         * @return this
         */
        public Builder secret(String value) {
            secrets.add(Objects.requireNonNull(value, "value"));
            return this;
        }

        /**
         * Asks the tool for its definition.
         *
         * @return a tester, which the caller closes
         * @throws ToolException when the tool cannot be registered: its definition fails or has an input schema that is no JSON
         *     Schema, or its name is reserved
         */
        public ToolTester build() {
            return new ToolTester(this);
        }
    }
}
