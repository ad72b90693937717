package io.maestro.claude.internal.run;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.claude.ApiAccess;
import io.maestro.claude.ClaudeCode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The arguments and the variables of the CLI. Nothing secret is in the arguments, which everybody on the machine can read, and
 * nothing that a repository or an image brings (MCP servers, hooks, settings, variables) is run, nor what an agent has put into its
 * own settings.
 */
final class CommandLine {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Longer than the CLI would wait for a server; then it would begin without our tools. */
    private static final String CONNECT_MILLIS = "30000";

    /** A week: the host's own limits end a call, and a person who is asked may take days. */
    private static final String CALL_MILLIS = "604800000";

    /**
     * The CLI, which would go on with an open call when its input has ended, beside a watcher that ends it soon after the host
     * has ended in whatever way. In a container it ends with that. The watcher must hold none of its pipes open.
     */
    private static final String ENDED_WITH_HOST = """
            {
                while kill -0 "$1" && kill -0 $$; do sleep 1; done
                kill -TERM $$ && sleep 3 && kill -KILL $$
            } </dev/null >/dev/null 2>&1 &
            shift
            exec "$@"
            """;

    /**
     * The CLI without the variables of an image that are settings of it or of the runtime that it is built with: they switch off
     * hooks and name files of settings. Only the names that follow are the run's own.
     */
    private static final String WITHOUT_OTHER_VARIABLES = """
            kept=" $1 "
            shift
            set -f
            IFS='
            '
            for line in $(env); do
                name=${line%%=*}
                case $name in
                    *[!A-Za-z0-9_]*) ;;
                    ANTHROPIC*|BUN_*|CLAUDE*|WSL*) case $kept in *" $name "*) ;; *) unset "$name" ;; esac ;;
                esac
            done
            exec "$@"
            """;

    private CommandLine() {}

    static List<String> arguments(CliLaunch launch, StateFiles.Prepared prepared) {
        ClaudeCode settings = launch.settings();
        CliSession session = launch.session();
        List<String> line = new ArrayList<>();
        if (launch.isLocal()) {
            String host = Long.toString(ProcessHandle.current().pid());
            line.addAll(List.of("sh", "-c", ENDED_WITH_HOST, "sh", host));
        } else {
            String kept = String.join(" ", environment(launch, prepared).keySet());
            line.addAll(List.of("sh", "-c", WITHOUT_OTHER_VARIABLES, "sh", kept));
        }
        line.addAll(List.of(
                settings.program(),
                "-p",
                "--output-format",
                "stream-json",
                "--input-format",
                "stream-json",
                "--verbose",
                // Otherwise nothing is heard of the model while it writes a long answer.
                "--include-partial-messages",
                "--strict-mcp-config",
                // None, not even the user's: the agent itself can write them, with hooks that nobody would see.
                "--setting-sources",
                "",
                "--dangerously-skip-permissions",
                session.resumed() ? "--resume" : "--session-id",
                session.id()));
        add(line, "--model", settings.model());
        add(line, "--append-system-prompt-file", prepared.promptFile());
        add(line, "--tools", settings.builtInTools().map(tools -> String.join(",", tools)));
        if (!settings.disallowedTools().isEmpty()) {
            add(line, "--disallowedTools", Optional.of(String.join(",", settings.disallowedTools())));
        }
        add(line, "--mcp-config", mcpConfig(launch.mcp()));
        add(line, "--max-turns", settings.maxTurns().map(turns -> Integer.toString(turns)));
        add(line, "--max-budget-usd", settings.maxBudget().map(dollars -> dollars.toPlainString()));
        return line;
    }

    private static void add(List<String> line, String option, Optional<String> value) {
        value.ifPresent(text -> line.addAll(List.of(option, text)));
    }

    /** As text, not as a file: the CLI puts the token in by itself, from its environment. */
    private static Optional<String> mcpConfig(McpLink link) {
        ObjectNode config = JSON.createObjectNode();
        ObjectNode server = config.putObject("mcpServers").putObject(McpLink.SERVER);
        server.put("alwaysLoad", true);
        if (link instanceof McpLink.Http http) {
            server.put("type", "http").put("url", http.url());
            server.putObject("headers").put("Authorization", "Bearer ${" + McpLink.TOKEN + "}");
        } else if (link instanceof McpLink.Proxy proxy) {
            server.put("type", "stdio").put("command", proxy.command().get(0));
            proxy.command().subList(1, proxy.command().size()).forEach(server.withArrayProperty("args")::add);
            ObjectNode variables = server.putObject("env");
            proxy.environment().keySet().forEach(name -> variables.put(name, "${" + name + "}"));
        } else {
            return Optional.empty();
        }
        return Optional.of(config.toString());
    }

    static Map<String, String> environment(CliLaunch launch, StateFiles.Prepared prepared) {
        ClaudeCode settings = launch.settings();
        Map<String, String> variables = new LinkedHashMap<>(state(settings));
        for (String name : List.of(
                "DISABLE_AUTOUPDATER",
                "DISABLE_TELEMETRY",
                "DISABLE_ERROR_REPORTING",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
                // What an agent writes there would be read as instructions, in every session to come.
                "CLAUDE_CODE_DISABLE_AUTO_MEMORY",
                // Otherwise @path in a story, or in the output of a failed test, is a file that the model is sent.
                "CLAUDE_CODE_DISABLE_ATTACHMENTS",
                // A repository's scheduled prompts would be said to the model, and its file of them changed.
                "CLAUDE_CODE_DISABLE_CRON",
                // Otherwise subjects of commits are told to the model, and it is asked to name itself in each commit.
                "CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS",
                // They run commands that no policy is asked for.
                "CLAUDE_CODE_DISABLE_BUNDLED_SKILLS",
                // One that ends would begin a turn that nobody has asked for.
                "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS")) {
            variables.put(name, "1");
        }
        variables.put("MCP_CONNECTION_NONBLOCKING", "0");
        variables.put("MCP_CONNECT_TIMEOUT_MS", CONNECT_MILLIS);
        variables.put("MCP_TIMEOUT", CONNECT_MILLIS);
        variables.put("MCP_TOOL_TIMEOUT", CALL_MILLIS);
        if (prepared.root()) {
            // The CLI's word for: root may skip permissions, the surroundings are what holds it.
            variables.put("IS_SANDBOX", "1");
        }
        if (settings.api().isPresent()) {
            ApiAccess api = settings.api().get();
            variables.put("ANTHROPIC_BASE_URL", api.baseUrl());
            variables.put("ANTHROPIC_API_KEY", api.key());
            api.socket().ifPresent(path -> variables.put("ANTHROPIC_UNIX_SOCKET", path));
        }
        if (launch.mcp() instanceof McpLink.Http http) {
            variables.put(McpLink.TOKEN, http.token());
        } else if (launch.mcp() instanceof McpLink.Proxy proxy) {
            variables.putAll(proxy.environment());
        }
        variables.putAll(settings.environment());
        return variables;
    }

    /** The variables that say where the state is kept. */
    static Map<String, String> state(ClaudeCode settings) {
        Map<String, String> variables = new LinkedHashMap<>();
        settings.home().ifPresent(path -> variables.put("HOME", path));
        settings.stateDirectory().ifPresent(path -> variables.put("CLAUDE_CONFIG_DIR", path));
        return variables;
    }
}
