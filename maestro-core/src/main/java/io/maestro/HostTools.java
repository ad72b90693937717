package io.maestro;

import io.maestro.audit.Redactor;
import io.maestro.builtin.internal.BuiltinTools;
import io.maestro.builtin.internal.PhaseNetwork;
import io.maestro.builtin.internal.Todos;
import io.maestro.chat.internal.ChatRoom;
import io.maestro.command.CommandTool;
import io.maestro.environment.Environments;
import io.maestro.error.MaestroException;
import io.maestro.internal.PrivateFiles;
import io.maestro.mcpclient.McpSource;
import io.maestro.mcpclient.internal.McpTools;
import io.maestro.runtime.ToolPolicy;
import io.maestro.runtime.ToolRegistry;
import io.maestro.runtime.internal.CheckedPolicy;
import io.maestro.runtime.internal.Roles;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolException;
import io.maestro.tools.ToolFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The tools that agents can call, and what these tools are given, as the host has set it in code. */
final class HostTools {
    private final List<ToolFactory> factories = new ArrayList<>();
    private final Map<Class<?>, Object> services = new HashMap<>();
    private @Nullable ClassLoader loader;

    void add(ToolFactory factory) {
        factories.add(factory);
    }

    void service(Class<?> type, Object instance) {
        services.put(type, instance);
    }

    void loader(ClassLoader given) {
        this.loader = given;
    }

    /**
     * Where tools, environments and coder modes are looked for. The context class loader of a build tool or a plugin container often
     * does not see this class, and then no jar that was written for it; the loader that has both is this class's.
     */
    ClassLoader loader() {
        if (loader != null) {
            return loader;
        }
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        return sees(context) ? context : Maestro.class.getClassLoader();
    }

    private static boolean sees(@Nullable ClassLoader other) {
        try {
            return other != null && Class.forName(Maestro.class.getName(), false, other) == Maestro.class;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }

    /** Maestro's own tools, then the host's, then those that are found. */
    ToolRegistry registry(Redactor redactor, boolean discover, ToolLimits limits, HostWeb web) {
        return registry(BuiltinTools.all(), redactor, discover, limits, web);
    }

    /** The same with other tools of Maestro's own. */
    ToolRegistry registry(
            List<ToolFactory> builtIn, Redactor redactor, boolean discover, ToolLimits limits, HostWeb web) {
        ToolRegistry registry = ToolRegistry.builder()
                .builtIn(builtIn)
                .builtIn(web.tools())
                .redactor(redactor)
                .adjust(limits::in)
                .build();
        factories.forEach(registry::register);
        if (discover) {
            registry.discover(loader());
        }
        return registry;
    }

    /** Adds the commands of the file. */
    static void addCommands(List<CommandTool> commands, ToolRegistry registry) {
        for (CommandTool command : commands) {
            try {
                registry.register(command);
            } catch (ToolException e) {
                throw new ToolException(
                        "$.tools.commands." + command.definition().name() + ": " + e.getMessage(), e);
            }
        }
    }

    /**
     * Starts the servers that tools are borrowed from, and adds their tools.
     *
     * @param directory of Maestro's own: programs run below it, and it is kept there what the host has agreed to
     * @param agrees whether it is kept
     * @return ends the servers
     * @throws MaestroException when one can't be used, or the client is not on the class path
     */
    static Runnable borrow(
            List<McpSource> sources,
            ToolRegistry registry,
            Path directory,
            boolean agrees,
            Map<String, String> environment,
            Redactor redactor) {
        if (sources.isEmpty()) {
            return () -> {};
        }
        try {
            return McpTools.open(sources, registry, directory, agrees, environment, redactor)::close;
        } catch (LinkageError e) {
            throw new MaestroException(
                    "tools of MCP servers need the official SDK, which is not on the class path or of another version: add"
                            + " io.modelcontextprotocol.sdk:mcp-core and mcp-json-jackson2 (2.0.1): " + e,
                    e);
        }
    }

    /** Copies what the host has agreed to from one directory of Maestro's own to another, which is made; nothing where it has not. */
    static void copyAgreed(Path from, Path to) {
        Path file = from.resolve(McpTools.PINS);
        try {
            if (Files.exists(file)) {
                Files.copy(file, PrivateFiles.makeMissing(to).resolve(McpTools.PINS));
            }
        } catch (IOException e) {
            throw new MaestroException("the pins of MCP servers in " + file + " cannot be read: " + e, e);
        }
    }

    /** A rule or a limit for a tool that is not there is misspelt, and would be without effect. */
    static void requireKnown(
            Collection<ToolDefinition> tools, ToolLimits limits, Collection<? extends ToolPolicy> policies) {
        List<String> names = tools.stream().map(ToolDefinition::name).toList();
        List<String> faults = policies.stream()
                .filter(CheckedPolicy.class::isInstance)
                .flatMap(policy -> ((CheckedPolicy) policy).unknown(names).stream())
                .toList();
        if (!faults.isEmpty()) {
            throw new MaestroException("the policy for tools is wrong: " + String.join("\n", faults));
        }
        List<String> unlimited = limits.unknown(names);
        if (!unlimited.isEmpty()) {
            throw new MaestroException("the limits of tools are wrong: " + String.join("\n", unlimited));
        }
    }

    /** Without these tools a role can't do its work, which would be found out when much was paid for it. */
    static void requirePossible(
            Collection<ToolDefinition> tools,
            Map<ToolAudience, Set<String>> needed,
            Collection<? extends ToolPolicy> policies) {
        for (ToolDefinition tool : tools) {
            needed.forEach((role, names) -> {
                if (names.contains(tool.name())) {
                    policies.forEach(policy -> policy.withholds(role, tool).ifPresent(why -> {
                        throw new MaestroException("the policy for tools makes the state " + Roles.state(role)
                                + " impossible: " + why + " refuses '" + tool.name() + "' to the role "
                                + role.name().toLowerCase(Locale.ROOT) + ", which can't do its work without it; take '"
                                + tool.name() + "' out of it");
                    }));
                }
            });
        }
    }

    /** The host's services, those of the environments, and Maestro's own for its built-in tools. */
    Map<Class<?>, Object> services(Environments opened, HostWeb web, ChatRoom room, Todos todos) {
        Map<Class<?>, Object> all = services(opened, web);
        all.put(ChatRoom.class, room);
        all.put(Todos.class, todos);
        return all;
    }

    /**
     * The host's services, those of the environments, and what the tools for the web use.
     *
     * @return to be added to
     * @throws MaestroException when both give one
     */
    Map<Class<?>, Object> services(Environments opened, HostWeb web) {
        Map<Class<?>, Object> all = new HashMap<>(services);
        opened.services().forEach((type, instance) -> {
            if (all.put(type, instance) != null) {
                throw new MaestroException("the service " + type.getName()
                        + " is given by the host and by the environment: leave out service(…) for it");
            }
        });
        all.put(PhaseNetwork.class, (PhaseNetwork) opened::network);
        web.serve(all, opened);
        return all;
    }
}
