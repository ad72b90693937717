package io.maestro.testkit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.audit.SecretRedactor;
import io.maestro.audit.Store;
import io.maestro.exec.Executor;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.runtime.ToolInvocation;
import io.maestro.runtime.ToolRegistry;
import io.maestro.runtime.ToolRuntime;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolException;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolProvider;
import io.maestro.tools.ToolResult;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Calls one tool as an agent would: its name, its arguments and its answer go through the same checks and limits, and the tool
 * gets a context. Safe for use by several threads.
 *
 * <pre>{@code
 * try (ToolTester ticket = ToolTester.of(new TicketTool()).directory(workspace).build()) {
 *     ToolResult answer = ticket.call("{\"key\":\"APP-42\"}");
 *     assertFalse(answer.isError());
 * }
 * }</pre>
 */
public final class ToolTester implements AutoCloseable {
    private static final String AGENT = "coder-001";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final ToolRuntime runtime;
    private final ToolProvider provider;
    private final ToolDefinition definition;
    private final String storyId;
    private final AtomicInteger calls = new AtomicInteger();

    private ToolTester(Builder builder) {
        SecretRedactor redactor = builder.secrets.build();
        ToolRegistry registry =
                ToolRegistry.builder().redactor(redactor).build().register(builder.factory);
        definition = registry.definitions().get(0);
        storyId = builder.storyId;
        ToolAudience audience = builder.audience != null
                ? builder.audience
                : definition.audiences().stream().min(ToolAudience::compareTo).orElseThrow();
        provider = registry.provider(
                new Context(storyId, audience, builder.executor, Map.copyOf(builder.services)),
                Set.of(definition.name()));
        runtime = ToolRuntime.builder().store(forgetful()).redactor(redactor).build();
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
                provider,
                new ToolInvocation(
                        "call-" + calls.incrementAndGet(),
                        definition.name(),
                        arguments,
                        new ToolInvocation.Caller("session-1", AGENT, storyId, 1, "CODING")));
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

    /** Interrupts calls that still run. */
    @Override
    public void close() {
        runtime.close();
    }

    /** A record that keeps nothing: there is one method after the other for each kind of row. */
    private static Store forgetful() {
        return (Store) Proxy.newProxyInstance(
                Store.class.getClassLoader(), new Class<?>[] {Store.class}, (proxy, method, arguments) -> {
                    if (method.getReturnType() != void.class) {
                        throw new UnsupportedOperationException("a tool is tested without a record");
                    }
                    return null;
                });
    }

    /** What the tool gets to know. */
    private record Context(
            String story, ToolAudience audience, @Nullable Executor local, Map<Class<?>, Object> services)
            implements ToolContext {
        @Override
        public String agentId() {
            return AGENT;
        }

        @Override
        public Optional<String> storyId() {
            return Optional.of(story);
        }

        @Override
        public boolean readOnly() {
            return audience != ToolAudience.CODER_CODING;
        }

        @Override
        public Executor executor() {
            if (local == null) {
                throw new ToolException(
                        "this agent runs no commands (the test has set neither directory nor executor)");
            }
            return local;
        }

        @Override
        public <T> Optional<T> service(Class<T> type) {
            return Optional.ofNullable(services.get(type)).map(type::cast);
        }
    }

    /** Collects what the tool may use. Not safe for use by several threads. */
    public static final class Builder {
        private final ToolFactory factory;
        private final Map<Class<?>, Object> services = new HashMap<>();
        private final SecretRedactor.Builder secrets = SecretRedactor.builder();
        private @Nullable ToolAudience audience;
        private @Nullable Executor executor;
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
         * Gives the tool something of the host, as {@code Maestro.builder().service(type, instance)} does.
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
            secrets.secret(value);
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
