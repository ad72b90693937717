package io.maestro.builtin.internal;

import io.maestro.builtin.internal.jobs.ShellJobs;
import io.maestro.exec.ExecException;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.files.internal.SafeFiles;
import io.maestro.internal.TerminalText;
import io.maestro.internal.Texts;
import io.maestro.secrets.internal.ShownText;
import io.maestro.tools.Property;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** {@code shell}: runs a command line in the workspace. */
final class ShellTool implements ToolFactory {
    private static final String DIRECTORY = "cwd";
    private static final int DEFAULT_SECONDS = 60;
    private static final int MOST_SECONDS = 600;

    /** What a host may make of it: a day. */
    private static final int MOST_ASKED_FOR = 86_400;

    /** Per stream; enough to read, little enough for a model's context. */
    static final int OUTPUT_LIMIT = 24 * 1024;

    /** How long a command may run in the background that names no limit. */
    private static final int BACKGROUND_SECONDS = 3600;

    private final ShellJobs.ByContext jobs;

    ShellTool(ShellJobs.ByContext jobs) {
        this.jobs = jobs;
    }

    @Override
    public ToolDefinition definition() {
        return ToolDefinition.builder("shell")
                .description("Runs a command line with sh in the workspace and returns its output and exit code")
                .input(schema -> schema.requiredString("cmd", "The command line, for example: ls -la src")
                        .optionalString(
                                DIRECTORY, "Directory to run it in, relative to the workspace; default: its root")
                        .optional(
                                "timeout_seconds",
                                Property.integer("Time limit in seconds; default " + DEFAULT_SECONDS
                                                + ", in the background "
                                                + BACKGROUND_SECONDS
                                                + ". Where less is allowed, that holds, and the answer says so")
                                        .between(1, MOST_ASKED_FOR))
                        .optionalBoolean(
                                "background",
                                "Answers at once while the command runs on, as for a server; shell_job says how it is"
                                        + " and what it prints"))
                .pathArguments(DIRECTORY)
                .offeredTo(ToolAudience.CODER_PLANNING, ToolAudience.CODER_CODING)
                .timeLimit(Duration.ofSeconds(MOST_SECONDS + 30))
                .usage(
                        "Each call starts in a fresh shell: `cd` and variables do not last. Programs that ask for input get"
                                + " an end of file. What a command leaves running ends with it; with `background` it runs until"
                                + " you submit your plan or say that you are done.")
                .build();
    }

    @Override
    public Tool create(ToolContext context) {
        ShellJobs own = jobs.of(context);
        return new Tool() {
            @Override
            public ToolResult execute(ToolCall call) throws IOException {
                return run(context, own, call);
            }

            @Override
            public void close() {
                own.close();
            }
        };
    }

    private static ToolResult run(ToolContext context, ShellJobs jobs, ToolCall call) throws IOException {
        String commandLine = call.arguments().string("cmd");
        Optional<String> mark = ShownText.newMark(commandLine, "");
        if (mark.isPresent()) {
            return ToolResult.error(ShownText.refusal(mark.get()));
        }
        boolean background = call.arguments().bool("background", false);
        Duration asked = Duration.ofSeconds(call.arguments()
                .optionalInteger("timeout_seconds")
                .orElse(background ? BACKGROUND_SECONDS : DEFAULT_SECONDS));
        // A call that ends at once needs no limit for its command.
        Duration limit = background ? asked : call.commandLimit(asked);
        ExecRequest.Builder request = ExecRequest.shell(background ? "exec 2>&1\n" + commandLine : commandLine)
                .timeLimit(limit)
                .outputLimit(OUTPUT_LIMIT);
        try {
            String directory = SafeFiles.directory(
                    call.arguments().optionalString(DIRECTORY).orElse(""));
            if (!directory.isEmpty()) {
                new SafeFiles(CoderWorkspace.of(context, call).directory()).requireDirectory(directory);
                request.workingDirectory(directory);
            }
            if (background) {
                return jobs.start(context.executor(), request, commandLine, limit);
            }
            return CommandResults.toToolResult(context.executor().run(request.build()), limit);
        } catch (SafeFiles.RefusedPathException e) {
            return ToolResult.error("nothing was run, " + DIRECTORY + " cannot be used: " + e.getMessage());
        } catch (ExecException e) {
            return ToolResult.error(e.getMessage());
        }
    }

    /** What a command has printed, without what is for a terminal. */
    static String shown(String output) {
        return TerminalText.plain(output).stripTrailing();
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
            append(text, "stdout", shown(result.stdout().text()));
            append(text, "stderr", shown(result.stderr().text()));
            ToolResult.Builder builder = ToolResult.builder(text.toString());
            result.exitCode().ifPresent(builder::exitCode);
            return result.ending() == ExecResult.Ending.EXITED
                    ? builder.build()
                    : builder.error().build();
        }

        private static void append(StringBuilder text, String name, String output) {
            if (!output.isEmpty()) {
                text.append("\n--- ").append(name).append(" ---\n").append(output);
            }
        }
    }
}
