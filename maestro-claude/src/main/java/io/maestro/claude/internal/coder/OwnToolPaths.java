package io.maestro.claude.internal.coder;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.exec.ExecException;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import io.maestro.files.internal.CanonicalPath;
import io.maestro.wire.internal.JsonLimits;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * Refuses uses of the CLI's own file tools by a path that policies do not know: what they decided on would not be what the CLI opens.
 * A path is absolute and canonical, goes through no symbolic link, and names a file of the workspace by the workspace's own path.
 * Safe for use by several threads.
 */
final class OwnToolPaths {
    private static final String FILE = "file_path";
    private static final String NOTEBOOK = "notebook_path";
    private static final String PATH = "path";
    private static final Map<String, String> ARGUMENTS = Map.of(
            "Read",
            FILE,
            "Write",
            FILE,
            "Edit",
            FILE,
            "MultiEdit",
            FILE,
            "NotebookRead",
            NOTEBOOK,
            "NotebookEdit",
            NOTEBOOK,
            "Glob",
            PATH,
            "Grep",
            PATH,
            "LS",
            PATH);

    /** Where files have other paths: those that a process has open, its directory, its root. */
    private static final Pattern OF_PROCESSES = Pattern.compile("/(proc|dev/(fd|std(in|out|err)))(/.*)?");

    private static final int IS_LINK = 3;
    private static final int IS_WORKSPACE = 4;

    /** Walks from a directory along names. The workspace itself has another path, too, where a link or a mount leads to it. */
    private static final String WALK = "w=$1; p=$2; shift 2; for n; do p=$p/$n; if [ -L \"$p\" ]; then exit " + IS_LINK
            + "; elif [ \"$p\" -ef \"$w\" ]; then exit " + IS_WORKSPACE + "; fi; done";

    private final Executor executor;

    /**
     * For the tools of a CLI.
     *
     * @param executor runs it
     */
    OwnToolPaths(Executor executor) {
        this.executor = executor;
    }

    /**
     * Decides on a use.
     *
     * @param tool the CLI's name of it, as {@code Write}
     * @param input its arguments; JSON text
     * @param refused makes a refusal of a reason for the model
     * @param policies decide where the path is canonical
     * @return the refusal; empty when it may run
     */
    <T> Optional<T> refusal(String tool, String input, Function<String, T> refused, Supplier<Optional<T>> policies) {
        JsonNode arguments = JsonLimits.tree(input);
        String path = arguments == null || !ARGUMENTS.containsKey(tool)
                ? ""
                : arguments.path(ARGUMENTS.get(tool)).asText();
        return (path.isEmpty() ? Optional.<String>empty() : otherSpelling(path))
                .map(refused)
                .or(policies)
                // Last, since a person may have been asked for long.
                .or(() -> path.isEmpty() ? Optional.empty() : link(path).map(refused));
    }

    private Optional<String> otherSpelling(String path) {
        // The CLI takes blanks away and composes characters.
        String composed = Normalizer.normalize(path, Normalizer.Form.NFC)
                .replaceAll("^[\\s\\p{Z}\\uFEFF]+|[\\s\\p{Z}\\uFEFF]+$", "");
        if (!composed.startsWith("/")) {
            return Optional.of("'" + path + "' is not absolute; give the absolute path, in the workspace "
                    + executor.workingDirectory() + "/...");
        }
        String canonical = CanonicalPath.of(composed);
        if (OF_PROCESSES.matcher(canonical).matches()) {
            return Optional.of("'" + path + "' is not opened: files of processes have other paths; use the real path");
        }
        return canonical.equals(path)
                ? Optional.empty()
                : Optional.of("'" + path + "' is another spelling of '" + canonical + "'; use that one");
    }

    private Optional<String> link(String path) {
        String workspace = CanonicalPath.of(executor.workingDirectory());
        if (path.equals(workspace)) {
            return Optional.empty();
        }
        // Links of the host on the way to the workspace, as /tmp on macOS, are no agent's.
        String start = path.startsWith(workspace + "/") ? workspace : "";
        List<String> command = new ArrayList<>(List.of("sh", "-c", WALK, "sh", workspace, start));
        command.addAll(List.of(path.substring(start.length() + 1).split("/", -1)));
        try {
            ExecResult result = executor.run(ExecRequest.command(command).build());
            if (result.succeeded()) {
                return Optional.empty();
            }
            return Optional.of(
                    switch (result.exitCode().orElse(0)) {
                        case IS_LINK -> "'" + path + "' goes through a symbolic link; use the real path";
                        case IS_WORKSPACE ->
                            "'" + path + "' leads into the workspace by another path; use " + workspace + "/...";
                        default -> "whether '" + path + "' goes through a symbolic link could not be found out";
                    });
        } catch (ExecException | IllegalArgumentException e) {
            return Optional.of(
                    "whether '" + path + "' goes through a symbolic link could not be found out: " + e.getMessage());
        }
    }
}
