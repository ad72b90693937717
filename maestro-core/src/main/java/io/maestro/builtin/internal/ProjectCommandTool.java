package io.maestro.builtin.internal;

import io.maestro.exec.ExecException;
import io.maestro.exec.ExecRequest;
import io.maestro.files.internal.SafeFiles;
import io.maestro.project.internal.BuildDirectories;
import io.maestro.project.internal.BuildFiles;
import io.maestro.project.internal.FailureLines;
import io.maestro.project.internal.KeptOutput;
import io.maestro.project.internal.ProjectCommands;
import io.maestro.project.internal.ProjectRun;
import io.maestro.project.internal.ProjectTask;
import io.maestro.project.internal.ProjectTests;
import io.maestro.project.internal.ProjectTests.TestVerdict;
import io.maestro.project.internal.TestSlots;
import io.maestro.secrets.Redactor;
import io.maestro.tools.Property;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolException;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** {@code build}, {@code lint} and {@code test}: run a command of the project, and say first what is wrong. */
final class ProjectCommandTool implements ToolFactory {
    private static final String DIRECTORY = "directory";
    private static final String FIRST_LINE = "first_line";

    /** What an answer has of the end of an output; what went well needs less. */
    private static final int TAIL_OF_FAILURE = 16_000;

    private static final int TAIL_OF_SUCCESS = 4_000;
    private static final int MOST_DIRECTORIES = 10;

    private final ProjectTask task;
    private final String name;
    private final String description;

    private ProjectCommandTool(ProjectTask task, String name, String description) {
        this.task = task;
        this.name = name;
        this.description = description;
    }

    static ToolFactory build() {
        return new ProjectCommandTool(ProjectTask.BUILD, "build", "Builds the project without running its tests");
    }

    static ToolFactory lint() {
        return new ProjectCommandTool(ProjectTask.LINT, "lint", "Runs the linters that the project has");
    }

    static ToolFactory test() {
        return new ProjectCommandTool(
                ProjectTask.TEST, "test", "Runs the project's tests, in its root just as they will run after `done`");
    }

    @Override
    public ToolDefinition definition() {
        return ToolDefinition.builder(name)
                .description(
                        description + ", by the command that is set or that the build file suggests. The answer has"
                                + " errors and failed tests first, then the end of the output")
                .input(schema -> schema.optionalString(
                                DIRECTORY,
                                "Directory with a build file, relative to the workspace, for example frontend; default:"
                                        + " its root")
                        .optional(
                                FIRST_LINE,
                                Property.integer(
                                                "Runs nothing, and reads the output of the last call from this line on")
                                        .between(1, Integer.MAX_VALUE)))
                .pathArguments(DIRECTORY)
                .offeredTo(ToolAudience.CODER_CODING)
                // The command's own limit comes first, so that the output so far is kept.
                .timeLimit(Duration.ofHours(24))
                .build();
    }

    @Override
    public Tool create(ToolContext context) {
        ProjectTests tests = context.service(ProjectTests.class)
                .orElseThrow(() -> new ToolException("there is nothing that runs commands of a project here", null));
        AtomicReference<@Nullable KeptOutput> last = new AtomicReference<>();
        return call -> {
            OptionalLong first = call.arguments().optionalInteger(FIRST_LINE);
            if (first.isPresent()) {
                return page(last.get(), (int) first.getAsLong());
            }
            try {
                return run(tests, context, call, last);
            } catch (SafeFiles.RefusedPathException e) {
                return ToolResult.error("nothing was run, the directory cannot be used: " + e.getMessage());
            } catch (ExecException e) {
                return ToolResult.error(e.getMessage());
            }
        };
    }

    private ToolResult page(@Nullable KeptOutput kept, int first) {
        if (kept == null) {
            return ToolResult.error("there is no output to read: call " + name + " without " + FIRST_LINE + " before");
        }
        if (first > kept.lines()) {
            return ToolResult.error("the output has " + kept.lines() + " lines, there is no line " + first);
        }
        KeptOutput.OutputPage page = kept.page(first);
        String rest =
                page.next() > kept.lines() ? "" : "\n[the output goes on with " + FIRST_LINE + " " + page.next() + "]";
        return ToolResult.ok(kept.headline() + lines(page, kept) + page.text() + rest);
    }

    private static String lines(KeptOutput.OutputPage page, KeptOutput kept) {
        boolean all = page.first() == 1 && page.next() > kept.lines();
        return "\n--- output"
                + (all ? "" : ", lines " + page.first() + " to " + (page.next() - 1) + " of " + kept.lines())
                + " ---\n";
    }

    private ToolResult run(
            ProjectTests tests, ToolContext context, ToolCall call, AtomicReference<@Nullable KeptOutput> last)
            throws IOException, InterruptedException {
        ProjectCommands commands = tests.commands();
        Path workspace = CoderWorkspace.of(context, call).directory();
        String directory =
                SafeFiles.directory(call.arguments().optionalString(DIRECTORY).orElse(""));
        Optional<BuildFiles.Suggestion> command =
                commands.command(task, WorkspaceProjectFiles.of(workspace, directory), directory.isEmpty());
        String others = others(workspace, directory);
        if (command.isEmpty()) {
            return ToolResult.ok(nothing(commands, directory) + (others.isEmpty() ? "" : "\n" + others));
        }
        String line = command.get().line();
        // In one stream, the lines stand in the order in which they were printed.
        ExecRequest.Builder request = ExecRequest.shell("exec 2>&1\n" + line)
                .timeLimit(call.commandLimit(commands.timeLimit()))
                .outputLimit(KeptOutput.MOST_BYTES);
        if (!directory.isEmpty()) {
            request.workingDirectory(directory);
        }
        ProjectRun run;
        try (TestSlots.TestSlot slot =
                task == ProjectTask.TEST ? tests.slots().take(() -> TestSlots.Rank.WORKER) : () -> {}) {
            run = ProjectRun.of(context.executor(), task, line, request.build());
        }
        String output = context.service(Redactor.class).orElse(same -> same).redact(run.stdout() + run.stderr());
        String headline = run.headline() + (directory.isEmpty() ? "" : " (in " + directory + ")");
        KeptOutput kept = KeptOutput.of(headline, output);
        last.set(kept);
        ToolResult.Builder result =
                ToolResult.builder(told(run, kept, output) + (others.isEmpty() ? "" : "\n" + others));
        run.exitCode().ifPresent(result::exitCode);
        return run.exitCode().isPresent() ? result.build() : result.error().build();
    }

    private String told(ProjectRun run, KeptOutput kept, String output) {
        StringBuilder text = new StringBuilder(kept.headline());
        boolean passed = run.verdict() == TestVerdict.PASSED;
        String found = passed ? "" : FailureLines.in(output).summary();
        if (!found.isEmpty()) {
            text.append('\n').append(found);
        }
        if (kept.lines() > 0) {
            KeptOutput.OutputPage tail = kept.tail(passed ? TAIL_OF_SUCCESS : TAIL_OF_FAILURE);
            text.append(lines(tail, kept)).append(tail.text());
            if (tail.first() > 1) {
                text.append("\n[lines 1 to ")
                        .append(tail.first() - 1)
                        .append(" are not shown: call ")
                        .append(name)
                        .append(" with " + FIRST_LINE + ", which runs nothing, to read them]");
            }
        }
        return text.toString();
    }

    private String nothing(ProjectCommands commands, String directory) {
        String where = directory.isEmpty() ? "the root" : directory;
        boolean set = commands.set(task).isPresent();
        return "nothing was run: "
                + (set ? "the command that is set is for the root, and " : "no " + name + " command is set, and ")
                + "no build file in " + where + " suggests one. "
                + switch (task) {
                    case BUILD ->
                        "A script `build` in package.json or a target `build` or `all` in the Makefile would, or a"
                                + " file of Maven, Gradle, Cargo, Go or Python";
                    case LINT ->
                        "A script `lint` in package.json, a target `lint` in the Makefile, or a linter in the files of"
                                + " Maven, Gradle or Python would";
                    default -> "Any of these would: " + BuildFiles.forTests();
                }
                + "; the host sets one by " + task.setting();
    }

    /** The other directories that could be named. */
    private static String others(Path workspace, String directory) throws IOException {
        SortedMap<String, List<String>> found = BuildDirectories.in(workspace);
        found.remove(directory);
        if (found.isEmpty()) {
            return "";
        }
        String most = found.entrySet().stream()
                .limit(MOST_DIRECTORIES)
                .map(entry -> (entry.getKey().isEmpty() ? "." : entry.getKey()) + " ("
                        + String.join(", ", entry.getValue()) + ")")
                .collect(Collectors.joining(", "));
        return "[other directories with build files: " + most
                + (found.size() > MOST_DIRECTORIES ? " and " + (found.size() - MOST_DIRECTORIES) + " more" : "") + "]";
    }
}
