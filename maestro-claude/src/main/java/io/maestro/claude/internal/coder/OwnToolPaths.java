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

/**
 * Refuses uses of the CLI's own file tools by a path that policies do not know: what they decided on would not be what the CLI opens.
 * A path is absolute and canonical, and goes through no symbolic link of the workspace. Safe for use by several threads.
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

    private static final int IS_LINK = 3;

    /** Walks from a directory along names. */
    private static final String WALK =
            "p=$1; shift; for n; do p=$p/$n; if [ -L \"$p\" ]; then exit " + IS_LINK + "; fi; done";

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
        return canonical.equals(path)
                ? Optional.empty()
                : Optional.of("'" + path + "' is another spelling of '" + canonical + "'; use that one");
    }

    private Optional<String> link(String path) {
        String workspace = CanonicalPath.of(executor.workingDirectory());
        if (!path.startsWith(workspace + "/")) {
            return Optional.empty();
        }
        List<String> command = new ArrayList<>(List.of("sh", "-c", WALK, "sh", workspace));
        command.addAll(List.of(path.substring(workspace.length() + 1).split("/", -1)));
        try {
            ExecResult result = executor.run(ExecRequest.command(command).build());
            if (result.succeeded()) {
                return Optional.empty();
            }
            return Optional.of(
                    result.exitCode().orElse(0) == IS_LINK
                            ? "'" + path + "' goes through a symbolic link; use the real path"
                            : "whether '" + path + "' goes through a symbolic link could not be found out");
        } catch (ExecException | IllegalArgumentException e) {
            return Optional.of(
                    "whether '" + path + "' goes through a symbolic link could not be found out: " + e.getMessage());
        }
    }
}
