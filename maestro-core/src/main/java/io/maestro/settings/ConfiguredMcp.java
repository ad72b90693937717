package io.maestro.settings;

import io.maestro.config.internal.Config;
import io.maestro.error.MaestroException;
import io.maestro.mcpclient.McpConsent;
import io.maestro.mcpclient.McpSource;
import io.maestro.tools.ToolAudience;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** What a configuration says of MCP servers whose tools are borrowed. */
final class ConfiguredMcp {
    private ConfiguredMcp() {}

    /**
     * The servers.
     *
     * @param own those that are set in code; each wins over one of its name
     * @param config the whole configuration
     * @param environment where the values of headers come from
     * @return all of them
     * @throws MaestroException when one is described wrongly
     */
    static List<McpSource> sources(List<McpSource> own, Config config, Map<String, String> environment) {
        List<McpSource> all = new ArrayList<>(own);
        new TreeMap<>(config.object("tools.mcp").members()).forEach((name, server) -> {
            if (own.stream().noneMatch(source -> source.name().equals(name))) {
                try {
                    all.add(source(name, server, environment));
                } catch (IllegalArgumentException e) {
                    throw new MaestroException("$.tools.mcp." + name + ": " + e.getMessage(), e);
                }
            }
        });
        return List.copyOf(all);
    }

    private static McpSource source(String name, Config server, Map<String, String> environment) {
        McpSource.Builder source = server.text("url").isPresent()
                ? McpSource.http(name, URI.create(server.text("url").get()))
                : McpSource.stdio(name, server.texts("command").toArray(String[]::new));
        if (!server.texts("pass").isEmpty()) {
            source.passEnvironment(server.texts("pass").toArray(String[]::new));
        }
        for (String header : server.object("headers").names()) {
            source.header(header, value(server.text("headers." + header).orElseThrow(), environment));
        }
        server.text("bearer_token")
                .ifPresent(variable -> source.header("Authorization", "Bearer " + value(variable, environment)));
        source.tools(server.texts("tools").toArray(String[]::new));
        List<ToolAudience> audiences = audiences(server);
        if (!audiences.isEmpty()) {
            source.offeredTo(audiences.get(0), audiences.toArray(ToolAudience[]::new));
        }
        server.seconds("call_seconds").ifPresent(source::timeLimit);
        server.seconds("start_seconds").ifPresent(source::startLimit);
        server.text("pins").map(Path::of).ifPresent(source::pins);
        server.text("consent").map(ConfiguredMcp::consent).ifPresent(source::consent);
        return source.build();
    }

    /** Who is offered tools; empty when it is not set. */
    static List<ToolAudience> audiences(Config config) {
        return config.texts("audiences").stream()
                .map(audience -> ToolAudience.valueOf(audience.toUpperCase(Locale.ROOT)))
                .toList();
    }

    private static String value(String variable, Map<String, String> environment) {
        String value = environment.get(variable);
        if (value == null || value.isBlank()) {
            throw new IllegalArgumentException("the variable " + variable + " of the environment is not set");
        }
        return value;
    }

    private static McpConsent consent(String name) {
        return switch (name) {
            case "always" -> McpConsent.ALWAYS;
            case "never" -> McpConsent.NEVER;
            default -> McpConsent.FIRST_USE;
        };
    }
}
