package io.maestro.docker.internal.tools;

import io.maestro.docker.ContainerStartException;
import io.maestro.docker.internal.environment.ContainerExecutors;
import io.maestro.docker.internal.environment.StoryEnvironment;
import io.maestro.environment.Phase;
import io.maestro.exec.ExecException;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.tools.Property;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** {@code container_test}: runs a command in a container that is thrown away. */
final class ContainerTestTool implements ToolFactory {
    private static final int DEFAULT_SECONDS = 60;
    private static final int MOST_SECONDS = 300;

    /** What a host may make of it: a day. */
    private static final int MOST_ASKED_FOR = 86_400;

    /** Per stream; enough to read, little enough for a model's context. */
    private static final int OUTPUT_LIMIT = 24 * 1024;

    @Override
    public ToolDefinition definition() {
        return ToolDefinition.builder("container_test")
                .description(
                        "Runs a command in a throwaway container from an image, with the workspace at /workspace, and"
                                + " returns its output and exit code. Without a command it checks whether the image boots and can"
                                + " be worked in. Use it to try an image before container_switch, or to try something in a clean"
                                + " container")
                .input(schema -> schema.optionalString(
                                "image", "Name or id of an image on this machine; default: the one in use")
                        .optionalString("command", "Command line for sh, for example: make --version")
                        .optional(
                                "seconds",
                                Property.integer("Time limit in seconds; default " + DEFAULT_SECONDS
                                                + ". Where less is allowed, that holds, and the answer says so")
                                        .between(1, MOST_ASKED_FOR))
                        .optionalBoolean(
                                "network", "Whether it has a network; default true while coding, never while planning"))
                .offeredTo(ToolAudience.CODER_PLANNING, ToolAudience.CODER_CODING)
                // Containers are started and removed beside the command.
                .timeLimit(Duration.ofSeconds(MOST_SECONDS + 180))
                .usage("The workspace is read-only while planning. What the command installs or writes outside of"
                        + " /workspace is gone afterwards.")
                .build();
    }

    @Override
    public Tool create(ToolContext context) {
        return call -> run(context, call);
    }

    private static ToolResult run(ToolContext context, ToolCall call) {
        StoryEnvironment environment = ContainerArguments.environment(context);
        Duration limit = call.commandLimit(
                Duration.ofSeconds(call.arguments().optionalInteger("seconds").orElse(DEFAULT_SECONDS)));
        Optional<String> command = call.arguments().optionalString("command").filter(text -> !text.isBlank());
        Phase phase = context.readOnly() ? Phase.PLANNING : environment.phase();
        try {
            String image = image(environment, call);
            return environment.throwaway(
                    phase,
                    image,
                    call.arguments().bool("network", true),
                    executor -> command.map(line -> commanded(executor, line, limit))
                            .orElseGet(() -> booted(environment, executor, phase, image)));
        } catch (ContainerStartException | ExecException | IllegalArgumentException e) {
            return ToolResult.error(String.valueOf(e.getMessage()));
        }
    }

    private static String image(StoryEnvironment environment, ToolCall call) {
        Optional<String> asked = call.arguments().optionalString("image").filter(text -> !text.isBlank());
        return asked.isPresent()
                ? ContainerArguments.image(environment, asked.get())
                : environment
                        .now()
                        .map(now -> now.image().id())
                        .orElseThrow(
                                () -> new ContainerArguments.RefusedArgumentException("no image is in use; name one"));
    }

    private static ToolResult commanded(ContainerExecutors.ClosableExecutor executor, String line, Duration limit) {
        ExecResult result = executor.executor()
                .run(ExecRequest.shell(line)
                        .timeLimit(limit)
                        .outputLimit(OUTPUT_LIMIT)
                        .build());
        StringBuilder text = new StringBuilder(
                switch (result.ending()) {
                    case EXITED -> "exit code " + result.exitCode().orElse(-1);
                    case TIMED_OUT -> "killed after " + limit.toSeconds() + " s; this is the output so far";
                    case CANCELLED -> "cancelled; this is the output so far";
                });
        append(text, "stdout", result.stdout().text());
        append(text, "stderr", result.stderr().text());
        ToolResult.Builder builder = ToolResult.builder(text.toString());
        result.exitCode().ifPresent(builder::exitCode);
        return result.ending() == ExecResult.Ending.EXITED
                ? builder.build()
                : builder.error().build();
    }

    private static void append(StringBuilder text, String name, String output) {
        if (!output.isEmpty()) {
            text.append("\n--- ").append(name).append(" ---\n").append(output.stripTrailing());
        }
    }

    private static ToolResult booted(
            StoryEnvironment environment, ContainerExecutors.ClosableExecutor executor, Phase phase, String image) {
        List<String> faults = environment.faults(executor.bare(), phase);
        return faults.isEmpty()
                ? ToolResult.ok("a container from " + image + " boots and can be worked in")
                : ToolResult.error(
                        "a container from " + image + " boots, but cannot be worked in: " + String.join("; ", faults));
    }
}
