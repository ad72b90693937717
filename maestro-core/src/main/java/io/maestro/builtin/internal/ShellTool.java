package io.maestro.builtin.internal;

import io.maestro.exec.ExecException;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.internal.TerminalText;
import io.maestro.runtime.internal.Texts;
import io.maestro.tools.Property;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.time.Duration;
import java.util.Optional;

/** {@code shell}: runs a command line in the workspace. */
final class ShellTool implements ToolFactory {
    private static final int DEFAULT_SECONDS = 60;
    private static final int MOST_SECONDS = 600;

    /** What a host may make of it: a day. */
    private static final int MOST_ASKED_FOR = 86_400;

    /** Per stream; enough to read, little enough for a model's context. */
    static final int OUTPUT_LIMIT = 24 * 1024;

    @Override
    public ToolDefinition definition() {
        return ToolDefinition.builder("shell")
                .description("Runs a command line with sh in the workspace and returns its output and exit code")
                .input(schema -> schema.requiredString("cmd", "The command line, for example: ls -la src")
                        .optionalString("cwd", "Directory to run it in, relative to the workspace; default: its root")
                        .optional(
                                "timeout_seconds",
                                Property.integer("Time limit in seconds; default " + DEFAULT_SECONDS
                                                + ". Where less is allowed, that holds, and the answer says so")
                                        .between(1, MOST_ASKED_FOR)))
                .offeredTo(ToolAudience.CODER_PLANNING, ToolAudience.CODER_CODING)
                .timeLimit(Duration.ofSeconds(MOST_SECONDS + 30))
                .usage(
                        "Each call starts in a fresh shell: `cd` and variables do not last. Programs that ask for input get"
                                + " an end of file. Background processes end with the call.")
                .build();
    }

    @Override
    public Tool create(ToolContext context) {
        return call -> run(context, call);
    }

    private static ToolResult run(ToolContext context, ToolCall call) {
        Duration limit = call.commandLimit(Duration.ofSeconds(
                call.arguments().optionalInteger("timeout_seconds").orElse(DEFAULT_SECONDS)));
        String commandLine = call.arguments().string("cmd");
        Optional<String> mark = ShownText.newMark(commandLine, "");
        if (mark.isPresent()) {
            return ToolResult.error(ShownText.refusal(mark.get()));
        }
        ExecRequest.Builder request =
                ExecRequest.shell(commandLine).timeLimit(limit).outputLimit(OUTPUT_LIMIT);
        call.arguments().optionalString("cwd").filter(cwd -> !cwd.isBlank()).ifPresent(request::workingDirectory);
        try {
            return CommandResults.toToolResult(context.executor().run(request.build()), limit);
        } catch (ExecException e) {
            return ToolResult.error(e.getMessage());
        }
    }

    /** How the result of a command reads for a model. */
    static final class CommandResults {
        private CommandResults() {}

        static ToolResult toToolResult(ExecResult result, Duration limit) {
            StringBuilder text = new StringBuilder();
            switch (result.ending()) {
                case EXITED ->
                    text.append("exit code ").append(result.exitCode().orElse(-1));
                case TIMED_OUT ->
                    text.append("killed after ").append(Texts.seconds(limit)).append("; this is the output so far");
                case CANCELLED -> text.append("cancelled; this is the output so far");
            }
            append(text, "stdout", TerminalText.plain(result.stdout().text()));
            append(text, "stderr", TerminalText.plain(result.stderr().text()));
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
    }
}
