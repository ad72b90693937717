package io.maestro.mcpclient.internal;

import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.maestro.mcpclient.McpSource;
import io.maestro.runtime.RecordedCalls;
import io.maestro.runtime.ToolInvocation;
import io.maestro.runtime.ToolRegistry;
import io.maestro.runtime.ToolRuntime;
import io.maestro.secrets.SecretRedactor;
import io.maestro.tools.AgentTools;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Servers that are scripts for the shell, in a process each, and what a Maestro has around them: registry, runtime, record.
 *
 * <p>In a script {@code $id} is the id of the request, {@code result '…'} answers it, {@code text …} answers with a text,
 * {@code $calls} counts the calls.
 */
final class McpLab implements AutoCloseable {
    static final String SECRET = "s3cr3t-value-of-the-host";

    private final Path directory;
    private final List<AutoCloseable> open = new ArrayList<>();
    final RecordedCalls record = new RecordedCalls();
    final Map<String, String> environment = Map.of("NAMED", "named value", "UNNAMED", SECRET);
    final SecretRedactor redactor = SecretRedactor.withDefaults();
    final ToolRuntime runtime;
    ToolRegistry registry = ToolRegistry.builder().build();

    McpLab(Path directory) {
        this.directory = directory;
        redactor.addSecret(SECRET);
        runtime = ToolRuntime.builder().record(record).redactor(redactor).build();
    }

    /** A tool without arguments. */
    static String tool(String name, String description) {
        return tool(name, description, "{\"type\":\"object\",\"properties\":{\"text\":{\"type\":\"string\"}}}");
    }

    static String tool(String name, String description, String schema) {
        return "{\"name\":\"" + name + "\",\"description\":\"" + description + "\",\"inputSchema\":" + schema + "}";
    }

    /** A server that has these tools and does this when one is called. */
    McpSource.Builder server(String tools, String onCall) throws IOException {
        return server(tools, onCall, "");
    }

    /**
     * A server.
     *
     * @param tools a list in JSON
     * @param onCall what it does when one is called
     * @param more other cases of the method, which come first
     */
    McpSource.Builder server(String tools, String onCall, String more) throws IOException {
        Path list = directory.resolve("tools.json");
        Files.writeString(list, "[" + tools + "]\n");
        Path script = directory.resolve("server.sh");
        Files.writeString(script, """
                send() { printf '%%s\\n' "$1"; }
                result() { send "{\\"jsonrpc\\":\\"2.0\\",\\"id\\":\\"$id\\",\\"result\\":$1}"; }
                text() { result "{\\"content\\":[{\\"type\\":\\"text\\",\\"text\\":\\"$1\\"}]}"; }
                calls=0
                while IFS= read -r line; do
                  id=${line#*'"id":"'}; id=${id%%%%'"'*}
                  case $line in
                %s
                  *'"method":"initialize"'*) result '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}';;
                  *'"method":"tools/list"'*) tools=$(cat '%s'); result "{\\"tools\\":$tools}";;
                  *'"method":"tools/call"'*) calls=$((calls + 1))
                %s
                  ;;
                  esac
                done
                """.formatted(more, list, onCall));
        return McpSource.stdio("files", "sh", script.toString()).startLimit(Duration.ofSeconds(30));
    }

    /** What the server says from now on that it has. */
    void nowHas(String tools) throws IOException {
        Files.writeString(directory.resolve("tools.json"), "[" + tools + "]\n");
    }

    /** As in the life of one host: what was open is not closed by it. */
    McpTools start(McpSource.Builder source) {
        registry = ToolRegistry.builder().build();
        return start(source, registry);
    }

    McpTools start(McpSource.Builder source, ToolRegistry into) {
        registry = into;
        McpTools tools = McpTools.open(List.of(source.build()), into, directory, true, environment, redactor);
        open.add(tools);
        return tools;
    }

    List<String> offered() {
        return registry.definitions().stream().map(tool -> tool.name()).toList();
    }

    List<String> problems() {
        return registry.problems().stream()
                .map(problem -> problem.where() + ": " + problem.message())
                .toList();
    }

    ToolResult call(String tool) {
        return call(tool, "{}");
    }

    ToolResult call(String tool, String input) {
        ToolContext context = mock(ToolContext.class);
        when(context.audience()).thenReturn(ToolAudience.CODER_CODING);
        AgentTools provider = registry.agentTools(context);
        return runtime.call(
                provider,
                new ToolInvocation(
                        "call-1", tool, input, new ToolInvocation.Caller("session", "coder-001", "042", 1, "CODING")));
    }

    @Override
    public void close() throws Exception {
        for (AutoCloseable one : open) {
            one.close();
        }
        runtime.close();
    }
}
