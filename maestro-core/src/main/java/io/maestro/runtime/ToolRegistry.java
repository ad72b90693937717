package io.maestro.runtime;

import io.maestro.internal.Texts;
import io.maestro.runtime.internal.AllowedTools;
import io.maestro.runtime.internal.RegisteredTool;
import io.maestro.runtime.internal.ToolDiscovery;
import io.maestro.runtime.internal.ToolOrigin;
import io.maestro.schema.internal.InputValidator;
import io.maestro.secrets.Redactor;
import io.maestro.tools.AgentTools;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolException;
import io.maestro.tools.ToolFactory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tools of one Maestro: those that are built in, those that the host registers, and those that are found in jars. It is
 * sealed when the first {@link AgentTools} is made, so that all agents see the same tools. Safe for use by several threads.
 *
 * <p>Each factory is asked once for its definition. Names are unique without regard to case; a name of a built-in tool, or
 * one that begins with {@code maestro_}, {@code mcp__} or {@code claude__}, can't be taken.
 */
public final class ToolRegistry {
    private static final Logger LOG = LoggerFactory.getLogger(ToolRegistry.class);
    private static final List<String> RESERVED_PREFIXES = List.of("maestro_", "mcp__", "claude__");

    private final ReentrantLock lock = new ReentrantLock();
    private final TreeMap<String, RegisteredTool> tools = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    private final List<Problem> problems = new ArrayList<>();
    private final InputValidator validator = new InputValidator();
    private final Redactor redactor;
    private final UnaryOperator<ToolDefinition> adjust;
    private volatile List<ToolPolicy> policies = List.of();
    private boolean sealed;

    private ToolRegistry(Builder builder) {
        this.redactor = builder.redactor;
        this.adjust = builder.adjust;
        builder.builtIn.forEach(factory -> add(describeOrThrow(factory, true), false));
    }

    /**
     * A tool that was found but can't be used.
     *
     * @param where its class and its jar
     * @param message what is wrong with it
     */
    public record Problem(String where, String message) {}

    /**
     * Starts a registry.
     *
     * @return a builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Adds a tool.
     *
     * @param factory makes the tool
     * @return this
     * @throws ToolException when its name is taken or reserved, when its {@code definition()} fails or has an input schema that
     *     is no JSON Schema, or when the registry is sealed; the message names the tool and where it and the other one come from
     */
    public ToolRegistry register(ToolFactory factory) {
        add(describeOrThrow(factory, false), false);
        return this;
    }

    /**
     * Adds the tools that jars announce through {@link java.util.ServiceLoader}, as a factory or a
     * {@linkplain io.maestro.tools.ToolProvider provider} of several. One that is broken is logged, kept in
     * {@link #problems()} and does not stop the others. A class that was already registered is passed over.
     *
     * @param loader where to look, such as the loader of the host's own classes
     * @return this
     * @throws ToolException when a name is taken or reserved, or when the registry is sealed
     */
    public ToolRegistry discover(ClassLoader loader) {
        List<String> found = new ArrayList<>();
        ToolDiscovery.run(Objects.requireNonNull(loader, "loader"), new ToolDiscovery.DiscoverySink() {
            @Override
            public void found(ToolFactory factory) {
                addFound(factory).ifPresent(tool -> found.add(tool.name() + " of " + tool.origin()));
            }

            @Override
            public void broken(String where, Throwable failure) {
                problem(where, "it could not be loaded: " + Texts.describe(failure));
            }
        });
        LOG.info("tools of jars that {} finds: {}", loader, found.isEmpty() ? "none" : found);
        return this;
    }

    /**
     * Adds tools that others have described, such as a server. One that is broken, or whose name is taken or reserved, is logged,
     * kept in {@link #problems()} and does not stop the others: nobody but the host may stop a host.
     *
     * @param origin where they come from, for messages
     * @param factories make the tools
     * @return this
     * @throws ToolException when the registry is sealed
     */
    public ToolRegistry borrow(String origin, Collection<? extends ToolFactory> factories) {
        for (ToolFactory factory : factories) {
            try {
                add(describe(factory, false, origin), false);
            } catch (BrokenFactory e) {
                problem(origin, e.reason);
            } catch (ToolException e) {
                if (isSealed()) {
                    throw e;
                }
                problem(origin, String.valueOf(e.getMessage()));
            }
        }
        return this;
    }

    private boolean isSealed() {
        lock.lock();
        try {
            return sealed;
        } finally {
            lock.unlock();
        }
    }

    /**
     * What was found but can't be used.
     *
     * @return a copy, in the order of discovery
     */
    public List<Problem> problems() {
        lock.lock();
        try {
            return List.copyOf(problems);
        } finally {
            lock.unlock();
        }
    }

    /**
     * All tools.
     *
     * @return their definitions, ordered by name
     */
    public List<ToolDefinition> definitions() {
        lock.lock();
        try {
            return tools.values().stream()
                    .map(RegisteredTool::definition)
                    .sorted(Comparator.comparing(ToolDefinition::name))
                    .toList();
        } finally {
            lock.unlock();
        }
    }

    /**
     * The tools that are not built in.
     *
     * @return each with its class and jar, as in {@code ticket_read of io.maestro.examples.ticket.TicketTool (ticket.jar)}
     */
    public List<String> added() {
        lock.lock();
        try {
            return tools.values().stream()
                    .filter(tool -> !tool.builtIn())
                    .map(tool -> tool.name() + " of " + tool.origin())
                    .toList();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Sets the policies: a tool that one of them {@linkplain ToolPolicy#withholds withholds} from a role is not offered to it.
     *
     * @param all the policies
     */
    public void policies(Collection<? extends ToolPolicy> all) {
        policies = List.copyOf(all);
    }

    /**
     * The tools of an agent in one state, by name. Seals the registry.
     *
     * @param context what the tools may use
     * @param allowed their names, whatever audience they are offered to; one that is not registered, such as a tool of a
     *     module that is not on the classpath, is passed over
     * @return its tools; to be closed
     */
    public AgentTools agentTools(ToolContext context, Set<String> allowed) {
        return agentTools(context, tool -> allowed.contains(tool.name()));
    }

    /**
     * The tools that are offered to the context's audience. Seals the registry.
     *
     * @param context what the tools may use
     * @return its tools; to be closed
     */
    public AgentTools agentTools(ToolContext context) {
        return agentTools(context, tool -> tool.definition().audiences().contains(context.audience()));
    }

    private AgentTools agentTools(ToolContext context, Predicate<RegisteredTool> allowed) {
        lock.lock();
        try {
            sealed = true;
            return new AllowedTools(
                    context,
                    tools.values().stream()
                            .filter(allowed)
                            .filter(tool -> tool.isOfferedTo(context.audience(), policies))
                            .toList(),
                    redactor);
        } finally {
            lock.unlock();
        }
    }

    private Optional<RegisteredTool> addFound(ToolFactory factory) {
        try {
            RegisteredTool tool = describe(factory, false, ToolOrigin.of(factory));
            add(tool, true);
            return Optional.of(tool);
        } catch (BrokenFactory e) {
            problem(ToolOrigin.of(factory), e.reason);
            return Optional.empty();
        }
    }

    private RegisteredTool describeOrThrow(ToolFactory factory, boolean builtIn) {
        try {
            return describe(Objects.requireNonNull(factory, "factory"), builtIn, ToolOrigin.of(factory));
        } catch (BrokenFactory e) {
            throw new ToolException(
                    "the tool of " + ToolOrigin.of(factory) + " can't be registered: " + redactor.redact(e.reason),
                    e.getCause());
        }
    }

    private RegisteredTool describe(ToolFactory factory, boolean builtIn, String origin) throws BrokenFactory {
        ToolDefinition definition;
        try {
            definition = factory.definition();
        } catch (Exception | LinkageError | StackOverflowError | AssertionError e) {
            throw new BrokenFactory("its definition() failed: " + Texts.describe(e), e);
        }
        if (definition == null) {
            throw new BrokenFactory("its definition() returned null", null);
        }
        if (!builtIn) { // those are checked by a test
            try {
                validator.check(definition.input());
            } catch (IllegalArgumentException e) {
                throw new BrokenFactory("of '" + definition.name() + "', " + e.getMessage(), e);
            }
        }
        return new RegisteredTool(factory, adjust.apply(definition), origin, builtIn);
    }

    /**
     * Keeps what is wrong with a tool, and logs it.
     *
     * @param where which tool, or where it comes from
     * @param message what is wrong with it; secrets are taken out
     */
    public void problem(String where, String message) {
        Problem problem = new Problem(where, redactor.redact(message));
        LOG.warn("A tool is not available, {}: {}", problem.where, problem.message);
        lock.lock();
        try {
            problems.add(problem);
        } finally {
            lock.unlock();
        }
    }

    private void add(RegisteredTool tool, boolean found) {
        lock.lock();
        try {
            if (sealed) {
                throw refused(tool, "the registry was sealed when the first agent got its tools; register it before");
            }
            RegisteredTool first = tools.get(tool.name());
            if (first == null) {
                refuseReservedPrefix(tool);
                tools.put(tool.name(), tool);
            } else if (!found || !first.origin().equals(tool.origin())) {
                throw refused(tool, taken(first));
            }
        } finally {
            lock.unlock();
        }
    }

    private static void refuseReservedPrefix(RegisteredTool tool) {
        String name = tool.name().toLowerCase(Locale.ROOT);
        for (String prefix : RESERVED_PREFIXES) {
            if (!tool.builtIn() && name.startsWith(prefix)) {
                throw refused(tool, "names that begin with '" + prefix + "' are reserved; choose another");
            }
        }
    }

    private static String taken(RegisteredTool first) {
        return first.builtIn()
                ? "the name is reserved for the built-in tool of " + first.origin() + "; choose another"
                : "the name is taken by " + first.origin() + "; rename one of the two, or remove its jar";
    }

    private static ToolException refused(RegisteredTool tool, String reason) {
        return new ToolException("tool '" + tool.name() + "' of " + tool.origin() + " is refused: " + reason, null);
    }

    /** Why a factory can't be used. */
    private static final class BrokenFactory extends Exception {
        private static final long serialVersionUID = 1L;

        private final String reason;

        BrokenFactory(String reason, @Nullable Throwable cause) {
            super(reason, cause);
            this.reason = reason;
        }
    }

    /** Collects the parts of a registry. Not safe for use by several threads. */
    public static final class Builder {
        private final List<ToolFactory> builtIn = new ArrayList<>();
        private Redactor redactor = text -> text;
        private UnaryOperator<ToolDefinition> adjust = UnaryOperator.identity();

        private Builder() {}

        /**
         * Adds tools that are a part of Maestro: nobody else can take their names.
         *
         * @param factories the factories
         * @return this
         */
        public Builder builtIn(Collection<? extends ToolFactory> factories) {
            builtIn.addAll(factories);
            return this;
        }

        /**
         * Sets what takes secrets out of the messages of broken factories.
         *
         * @param secrets the redactor; without one these messages pass as they are
         * @return this
         */
        public Builder redactor(Redactor secrets) {
            this.redactor = Objects.requireNonNull(secrets, "secrets");
            return this;
        }

        /**
         * Sets what is done to each definition before it is used, such as to give a tool other limits. Names stay.
         *
         * @param change gives the definition that is used, {@link ToolDefinition#toBuilder()} makes one; must not throw
         * @return this
         */
        public Builder adjust(UnaryOperator<ToolDefinition> change) {
            this.adjust = Objects.requireNonNull(change, "change");
            return this;
        }

        /**
         * Makes the registry.
         *
         * @return the registry, open for more tools
         * @throws ToolException when a built-in tool is broken or two have the same name
         */
        public ToolRegistry build() {
            return new ToolRegistry(this);
        }
    }
}
