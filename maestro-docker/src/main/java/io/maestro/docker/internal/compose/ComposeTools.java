package io.maestro.docker.internal.compose;

import io.maestro.docker.DockerException;
import io.maestro.docker.DockerUnavailableException;
import io.maestro.tools.Property;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolException;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code compose_up}, {@code compose_status}, {@code compose_logs}, {@code compose_down}: the services beside an agent's container. */
public final class ComposeTools {
    /** Where the file is when no path is given. */
    public static final String DEFAULT_PATH = ".maestro/compose.yml";

    private static final int DEFAULT_SECONDS = 180;

    /** How long it may take, where the host has not set more. */
    private static final int MOST_SECONDS = 900;

    /** What a host may make of it: a day. */
    private static final int MOST_ASKED_FOR = 86_400;

    private static final int DEFAULT_LINES = 100;
    private static final int MOST_LINES = 1000;

    private ComposeTools() {}

    /** All four; they need a {@link AgentStacks} among the services of their context. */
    public static List<ToolFactory> all() {
        return all(Duration.ofSeconds(DEFAULT_SECONDS));
    }

    /**
     * All four.
     *
     * @param upTime how long it may take to bring services up unless the agent says it
     */
    public static List<ToolFactory> all(Duration upTime) {
        long seconds = Math.max(1, upTime.toSeconds());
        return List.of(
                new ComposeTool(up(seconds), (stack, call) -> up(stack, call, seconds)),
                new ComposeTool(status(), ComposeTools::status),
                new ComposeTool(logs(), ComposeTools::logs),
                new ComposeTool(down(), ComposeTools::down));
    }

    private interface StackAction {
        ToolResult with(ComposeStack stack, ToolCall call) throws InterruptedException;
    }

    private record ComposeTool(ToolDefinition definition, StackAction work) implements ToolFactory {
        @Override
        public Tool create(ToolContext context) {
            return call -> {
                AgentStacks stacks = context.service(AgentStacks.class)
                        .orElseThrow(() -> new ToolException(
                                "there are no services here: " + definition.name() + " needs agents in containers",
                                null));
                try {
                    return work.with(stacks.stack(context.agentId()), call);
                } catch (DockerUnavailableException e) {
                    return ToolResult.error(e.getMessage() + "\nTry again later.");
                } catch (DockerException | UncheckedIOException e) {
                    return ToolResult.error(String.valueOf(e.getMessage()));
                }
            };
        }
    }

    private static ToolDefinition up(long byDefault) {
        long most = Math.max(MOST_SECONDS, byDefault);
        return ToolDefinition.builder("compose_up")
                .description(
                        "Starts the services of a compose file of the workspace (databases, queues, …), or updates them"
                                + " after changes, and waits until they run and are healthy")
                .input(schema -> schema.optionalString(
                                "path", "The compose file, relative to the workspace; default " + DEFAULT_PATH)
                        .optional(
                                "services",
                                Property.array(
                                        "Only these, with what they depend on", Property.string("Name of a service")))
                        .optional(
                                "timeout_seconds",
                                Property.integer("Time limit in seconds; default " + byDefault
                                                + ". Where less is allowed, that holds, and the answer says so")
                                        .between(1, MOST_ASKED_FOR)))
                .pathArguments("path")
                .offeredTo(ToolAudience.CODER_CODING)
                // The stack's own limit comes first, so that what was started is brought down.
                .timeLimit(Duration.ofSeconds(most + 300))
                .usage(
                        "Reach a service from your container by its name and port, for example `db:5432`; ports of the host are"
                                + " not published. Relative paths in the file start from the workspace. Mount `.` for live files;"
                                + " other files are mounted as read-only copies. Not allowed are, for example, privileged,"
                                + " host networks, devices, paths outside the workspace and external volumes.")
                .build();
    }

    private static ToolResult up(ComposeStack stack, ToolCall call, long byDefault) throws InterruptedException {
        String path = call.arguments()
                .optionalString("path")
                .filter(text -> !text.isBlank())
                .orElse(DEFAULT_PATH);
        if (path.startsWith("/")) {
            return ToolResult.error("'" + path + "' is absolute; give a path relative to the workspace");
        }
        long seconds = call.arguments().optionalInteger("timeout_seconds").orElse(byDefault);
        StackReport report =
                stack.up(path, call.arguments().strings("services"), call.commandLimit(Duration.ofSeconds(seconds)));
        StringBuilder text = new StringBuilder(report.ok() ? "all services work" : report.problem());
        append(text, report.services());
        report.notes().forEach(note -> text.append("\nnote: ").append(note));
        report.logs().forEach((container, log) -> appendLog(text, container, log));
        ToolResult.Builder result = ToolResult.builder(text.toString()).data("services", data(report.services()));
        return report.ok() ? result.build() : result.error().build();
    }

    private static ToolDefinition status() {
        return ToolDefinition.builder("compose_status")
                .description("Shows the services that compose_up has started: state, health, exit code")
                .readOnly()
                .offeredTo(ToolAudience.CODER_CODING)
                .build();
    }

    private static ToolResult status(ComposeStack stack, ToolCall call) {
        List<ServiceState> states = stack.status();
        if (states.isEmpty()) {
            return ToolResult.ok("no services; start them with compose_up");
        }
        StringBuilder text = new StringBuilder("services:");
        append(text, states);
        return ToolResult.builder(text.toString())
                .data("services", data(states))
                .build();
    }

    private static ToolDefinition logs() {
        return ToolDefinition.builder("compose_logs")
                .description("Shows the last lines that a service of compose_up has printed")
                .input(schema -> schema.requiredString("service", "Name of the service")
                        .optional(
                                "lines",
                                Property.integer("How many lines; default " + DEFAULT_LINES)
                                        .between(1, MOST_LINES)))
                .readOnly()
                .offeredTo(ToolAudience.CODER_CODING)
                .build();
    }

    private static ToolResult logs(ComposeStack stack, ToolCall call) {
        String service = call.arguments().string("service");
        int lines = Math.toIntExact(call.arguments().optionalInteger("lines").orElse(DEFAULT_LINES));
        Map<String, String> logs = stack.logs(service, lines);
        if (logs.isEmpty()) {
            List<String> there = stack.status().stream()
                    .map(ServiceState::service)
                    .distinct()
                    .toList();
            return ToolResult.error("there is no service '" + service + "'; "
                    + (there.isEmpty() ? "start services with compose_up" : "there are " + there));
        }
        StringBuilder text = new StringBuilder();
        logs.forEach((container, log) -> appendLog(text, container, log));
        return ToolResult.ok(text.toString().strip());
    }

    private static ToolDefinition down() {
        return ToolDefinition.builder("compose_down")
                .description(
                        "Removes the services that compose_up has started, with their volumes, networks and built images")
                .offeredTo(ToolAudience.CODER_CODING)
                .timeLimit(Duration.ofMinutes(5))
                .build();
    }

    private static ToolResult down(ComposeStack stack, ToolCall call) {
        stack.down();
        return ToolResult.ok("all services are gone, with their volumes and networks");
    }

    private static void append(StringBuilder text, List<ServiceState> states) {
        states.forEach(state -> text.append("\n- ").append(state));
    }

    private static void appendLog(StringBuilder text, String container, String log) {
        text.append("\n--- last lines of ").append(container).append(" ---\n");
        text.append(log.isEmpty() ? "(nothing was printed)" : log);
    }

    private static List<Map<String, Object>> data(List<ServiceState> states) {
        List<Map<String, Object>> list = new ArrayList<>();
        for (ServiceState state : states) {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("service", state.service());
            one.put("container", state.container());
            one.put("status", state.status());
            one.put("health", state.health());
            one.put("exit_code", state.exitCode());
            list.add(one);
        }
        return list;
    }
}
