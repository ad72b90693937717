package io.maestro.builtin.internal;

import io.maestro.exec.ExecException;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import io.maestro.files.internal.SafeFiles;
import io.maestro.internal.TerminalText;
import io.maestro.project.internal.BuildDirectories;
import io.maestro.project.internal.BuildFiles;
import io.maestro.project.internal.Languages;
import io.maestro.project.internal.ProjectCommands;
import io.maestro.project.internal.ProjectFiles;
import io.maestro.project.internal.ProjectTask;
import io.maestro.project.internal.ProjectTests;
import io.maestro.tools.NetworkAccess;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** {@code backend_info}: says what a project is made of and by which commands it is built. */
final class BackendInfoTool implements ToolFactory {
    private static final int MOST_DIRECTORIES = 20;
    private static final int MOST_CHARACTERS = 200;
    private static final int MOST_OUTPUT = 8 * 1024;
    private static final Duration FOR_VERSIONS = Duration.ofSeconds(10);

    /** One line for each tool, which are asked together: its name and the first line that it prints, or a dash. */
    private static final String VERSIONS =
            "for c in 'git --version' 'java -version' 'node --version' 'python3 --version' 'go version' 'cargo"
                    + " --version' 'make --version' 'mvn --version'; do { p=${c%% *}; if command -v \"$p\" >/dev/null"
                    + " 2>&1; then printf '%s: %s\\n"
                    + "' \"$p\" \"$($c 2>&1 </dev/null | head -n 1)\"; else printf '%s: -\\n"
                    + "' \"$p\"; fi; } & done; wait";

    @Override
    public ToolDefinition definition() {
        return ToolDefinition.builder("backend_info")
                .description(
                        "Says what the project is built with: build files, languages, the commands that build, lint,"
                                + " test and set it up and where they come from, versions of tools, and whether the"
                                + " network is open")
                .input(schema -> schema.optionalString(CoderWorkspace.PARAMETER, CoderWorkspace.DESCRIPTION))
                .readOnly()
                .offeredTo(
                        ToolAudience.CODER_PLANNING,
                        ToolAudience.CODER_CODING,
                        ToolAudience.ARCHITECT,
                        ToolAudience.ARCHITECT_SCOPING,
                        ToolAudience.ARCHITECT_EDITING)
                .build();
    }

    @Override
    public Tool create(ToolContext context) {
        ProjectTests tests = context.service(ProjectTests.class)
                .orElseThrow(() -> new ToolException("there is nothing that runs commands of a project here", null));
        return call -> {
            Path workspace = CoderWorkspace.of(context, call).directory();
            Map<String, List<String>> found = BuildDirectories.in(workspace);
            List<String> lines = new ArrayList<>();
            lines.add("Build files: "
                    + (found.isEmpty() ? "none that is known, in the root and two levels below it" : ""));
            found.entrySet().stream()
                    .limit(MOST_DIRECTORIES)
                    .forEach(entry -> lines.add("- " + named(entry.getKey()) + ": "
                            + entry.getValue().stream()
                                    .map(file -> file + " ("
                                            + BuildFiles.system(file).orElseThrow() + ")")
                                    .collect(Collectors.joining(", "))));
            if (found.size() > MOST_DIRECTORIES) {
                lines.add("- and " + (found.size() - MOST_DIRECTORIES) + " more directories");
            }
            lines.add("Files by language: " + Languages.in(workspace));
            commands(lines, tests.commands(), workspace, found);
            if (context.audience() == ToolAudience.CODER_PLANNING || context.audience() == ToolAudience.CODER_CODING) {
                versions(lines, context.executor(), call);
            }
            network(context.network()).ifPresent(network -> lines.add("Network: " + network));
            return ToolResult.ok(String.join("\n", lines));
        };
    }

    private static String named(String directory) {
        return directory.isEmpty() ? "the root" : directory;
    }

    private static void commands(
            List<String> lines, ProjectCommands commands, Path workspace, Map<String, List<String>> found)
            throws IOException {
        lines.add("Commands in the root:");
        ProjectFiles root = WorkspaceProjectFiles.of(workspace, "");
        for (ProjectTask task : ProjectTask.values()) {
            lines.add("- " + task.subject() + ": "
                    + commands.command(task, root, true)
                            .map(one -> one.line() + " (" + (commands.set(task).isPresent() ? "set by " : "from ")
                                    + one.source() + ")")
                            .orElse("none; the host sets one by " + task.setting()));
        }
        List<String> others = found.keySet().stream()
                .filter(directory -> !directory.isEmpty())
                .limit(MOST_DIRECTORIES)
                .toList();
        for (String directory : others) {
            List<String> suggested = suggested(commands, workspace, directory);
            if (!suggested.isEmpty()) {
                lines.add("Commands in " + directory + " (argument directory): " + String.join("; ", suggested));
            }
        }
    }

    private static List<String> suggested(ProjectCommands commands, Path workspace, String directory)
            throws IOException {
        try {
            ProjectFiles files = WorkspaceProjectFiles.of(workspace, directory);
            return Stream.of(ProjectTask.BUILD, ProjectTask.LINT, ProjectTask.TEST)
                    .flatMap(task ->
                            commands
                                    .command(task, files, false)
                                    .map(one -> task.subject() + ": " + one.line())
                                    .stream())
                    .toList();
        } catch (SafeFiles.RefusedPathException e) {
            return List.of();
        }
    }

    private static void versions(List<String> lines, Executor executor, ToolCall call) {
        try {
            ExecResult result = executor.run(ExecRequest.shell(VERSIONS)
                    .timeLimit(call.commandLimit(FOR_VERSIONS))
                    .outputLimit(MOST_OUTPUT)
                    .build());
            lines.add("Tools where commands run:");
            List<String> told =
                    TerminalText.plain(result.stdout().text()).lines().sorted().toList();
            told.stream()
                    .filter(line -> !line.endsWith(": -"))
                    .map(line -> "- " + line.substring(0, Math.min(line.length(), MOST_CHARACTERS)))
                    .forEach(lines::add);
            String missing = told.stream()
                    .filter(line -> line.endsWith(": -"))
                    .map(line -> line.substring(0, line.length() - ": -".length()))
                    .collect(Collectors.joining(", "));
            if (!missing.isEmpty()) {
                lines.add("- not there: " + missing);
            }
            if (result.ending() != ExecResult.Ending.EXITED) {
                lines.add("- the others were not asked: it took too long");
            }
        } catch (ExecException e) {
            lines.add("Tools where commands run: not known, " + e.getMessage());
        }
    }

    private static Optional<String> network(NetworkAccess access) {
        return switch (access) {
            case NONE -> Optional.of("closed to commands in this phase");
            case LISTED -> Optional.of("closed to commands in this phase but for the names that the host has listed");
            case OPEN -> Optional.of("Maestro does not close it to commands in this phase");
            case UNKNOWN -> Optional.empty();
        };
    }
}
