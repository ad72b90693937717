package io.maestro;

import io.maestro.builtin.internal.BuiltinTools;
import io.maestro.command.CommandTool;
import io.maestro.environment.Environments;
import io.maestro.error.MaestroException;
import io.maestro.internal.Names;
import io.maestro.internal.PrivateFiles;
import io.maestro.mcpclient.McpSource;
import io.maestro.mcpclient.internal.McpTools;
import io.maestro.runtime.ToolRegistry;
import io.maestro.runtime.internal.CheckedPolicy;
import io.maestro.runtime.internal.PhaseNetwork;
import io.maestro.runtime.internal.Roles;
import io.maestro.secrets.Redactor;
import io.maestro.settings.ToolOptions;
import io.maestro.settings.WebOptions;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolException;
import io.maestro.tools.ToolFactory;
import io.maestro.web.internal.PageFetcher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Registers the tools that agents can call, and collects what these tools are given. */
final class ToolSetup {
    private final ToolOptions options;
    private final WebOptions web;
    private final Redactor redactor;

    ToolSetup(ToolOptions options, WebOptions web, Redactor redactor) {
        this.options = options;
        this.web = web;
        this.redactor = redactor;
    }

    /**
     * Maestro's own tools, then the host's, then those that are found, then the commands of the file.
     *
     * @throws MaestroException when tools clash
     */
    ToolRegistry registry(List<ToolFactory> builtIn) {
        if (web.fetch().isPresent()) {
            PageFetcher.requireLibrary();
        }
        ToolRegistry registry = ToolRegistry.builder()
                .builtIn(builtIn)
                .builtIn(BuiltinTools.web(web.fetch().isPresent(), web.search().orElse(null)))
                .redactor(redactor)
                .adjust(this::limited)
                .build();
        options.factories().forEach(registry::register);
        if (options.discover()) {
            registry.discover(options.classLoader());
        }
        for (CommandTool command : options.commands()) {
            try {
                registry.register(command);
            } catch (ToolException e) {
                throw new ToolException(
                        "$.tools.commands." + command.definition().name() + ": " + e.getMessage(), e);
            }
        }
        registry.policies(options.policies());
        return registry;
    }

    private ToolDefinition limited(ToolDefinition tool) {
        return tool.toBuilder()
                .timeLimit(options.timeLimits().getOrDefault(tool.name(), tool.timeLimit()))
                .resultLimit(options.resultLimits().getOrDefault(tool.name(), tool.resultLimit()))
                .build();
    }

    /**
     * Starts the servers that tools are borrowed from, and adds their tools.
     *
     * @param directory of Maestro's own: programs run below it, and it is kept there what the host has agreed to
     * @param agrees whether it is kept
     * @return ends the servers
     * @throws MaestroException when one can't be used, or the client is not on the class path
     */
    Runnable borrow(ToolRegistry registry, Path directory, boolean agrees, Map<String, String> environment) {
        List<McpSource> sources = options.mcpSources();
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

    /**
     * Refuses a rule or a limit for a tool that is not there, which is misspelt and would be without effect, and a policy without
     * whose tools a role can't do its work, which would be found out when much was paid for it.
     *
     * @param needed the tools that a role needs
     */
    void requirePossible(ToolRegistry registry, Map<ToolAudience, Set<String>> needed) {
        Collection<ToolDefinition> tools = registry.definitions();
        List<String> names = tools.stream().map(ToolDefinition::name).toList();
        List<String> faults = options.policies().stream()
                .filter(CheckedPolicy.class::isInstance)
                .flatMap(policy -> ((CheckedPolicy) policy).unknown(names).stream())
                .toList();
        if (!faults.isEmpty()) {
            throw new MaestroException("the policy for tools is wrong: " + String.join("\n", faults));
        }
        List<String> unlimited = Stream.of(options.timeLimits(), options.resultLimits())
                .flatMap(limits -> limits.keySet().stream())
                .filter(name -> !names.contains(name))
                .distinct()
                .sorted()
                .map(name -> Names.unknownTool(name, names))
                .toList();
        if (!unlimited.isEmpty()) {
            throw new MaestroException("the limits of tools are wrong: " + String.join("\n", unlimited));
        }
        for (ToolDefinition tool : tools) {
            needed.forEach((role, necessary) -> {
                if (necessary.contains(tool.name())) {
                    options.policies()
                            .forEach(policy -> policy.withholds(role, tool).ifPresent(why -> {
                                throw new MaestroException("the policy for tools makes the state " + Roles.state(role)
                                        + " impossible: " + why + " refuses '" + tool.name() + "' to the role "
                                        + role.name().toLowerCase(Locale.ROOT)
                                        + ", which can't do its work without it; take '"
                                        + tool.name() + "' out of it");
                            }));
                }
            });
        }
    }

    /**
     * The host's services, those of the environments, and what the tools for the web use.
     *
     * @return to be added to
     * @throws MaestroException when both give one
     */
    Map<Class<?>, Object> services(Environments opened) {
        Map<Class<?>, Object> all = new HashMap<>(options.services());
        opened.services().forEach((type, instance) -> {
            if (all.put(type, instance) != null) {
                throw new MaestroException(
                        "the service " + type.getName()
                                + " is given by the host and by the environment: leave out tools(tools -> tools.service(…)) for it");
            }
        });
        all.put(PhaseNetwork.class, (PhaseNetwork) opened::network);
        web.fetch().ifPresent(access -> all.put(PageFetcher.class, PageFetcher.of(access, opened::mayReach)));
        return all;
    }
}
