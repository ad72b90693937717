package io.maestro.docker.internal.compose;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.docker.Mount;
import io.maestro.docker.internal.compose.WorkspaceFiles.RefusedFileException;
import io.maestro.docker.internal.compose.WorkspaceFiles.ResolvedFile;
import io.maestro.docker.internal.egress.UntrustedNames;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * What the checks of one file share.
 *
 * @param stack where the stack belongs
 * @param project the name of the compose project
 * @param labels what everything of the stack carries
 * @param tree where compose believed the workspace to be
 * @param files the workspace's files
 * @param copies copies of them
 * @param builds what is to be built
 * @param findings what is wrong
 */
record CheckContext(
        StackOwner stack,
        String project,
        Map<String, String> labels,
        Path tree,
        WorkspaceFiles files,
        WorkspaceCopies copies,
        List<StackImages.Build> builds,
        Findings findings) {
    private static final Path ROOT = Path.of("");

    /** Where a path of compose's is in the workspace. */
    ResolvedFile place(String path) throws RefusedFileException {
        if (path.contains("$")) {
            throw new RefusedFileException("'" + path + "' has a dollar sign; rename it", false);
        }
        Path seen = Path.of(path).normalize();
        if (seen.startsWith(tree)) {
            String inside = tree.relativize(seen).toString();
            return files.find(ROOT, inside.isEmpty() ? "." : inside);
        }
        // As the file has it, for where the tree lies means nothing to the agent.
        Path state = tree.getRoot().resolve(tree.subpath(0, tree.getNameCount() - StackPlan.TREE_DEPTH));
        return files.find(ROOT, seen.startsWith(state) ? tree.relativize(seen).toString() : path);
    }

    /** Copies lie on this machine; an engine elsewhere, which has the workspace as a volume, would not find them. */
    void requireCopiesTravel() throws RefusedFileException {
        if (stack.mount().kind() != Mount.Kind.BIND) {
            throw new RefusedFileException(
                    "this engine runs on another machine, where files of the workspace cannot be mounted one by one; mount"
                            + " the workspace itself ('.') or build them into an image",
                    false);
        }
    }

    /** A path for a file in which compose replaces variables. */
    String escaped(Path path) {
        return path.toString().replace("$", "$$");
    }

    /** A name by which the agent, and the tests that decide, reach a service. */
    void requireName(String where, String name) {
        try {
            UntrustedNames.requireContainer(name);
        } catch (IllegalArgumentException e) {
            findings.refuse(where, String.valueOf(e.getMessage()));
        }
    }

    void unknown(String where, String field) {
        if (!field.startsWith("x-")) {
            findings.refuse(where + "." + field, "it is not supported");
        }
    }

    /** Programs of the machine act on labels, as proxies and schedulers do; a file's own are left out. */
    void leaveOutLabels(String where, JsonNode labels) {
        for (Map.Entry<String, JsonNode> label : labels.properties()) {
            String name = label.getKey();
            if (name.startsWith("io.maestro") || name.startsWith("com.docker")) {
                findings.refuse(where + ".labels", "the label '" + name + "' is reserved; leave it out");
            }
        }
        if (!labels.isObject()) {
            findings.refuse(where + ".labels", "it must be a mapping");
        }
        findings.note(where + ": labels are left out; nothing here reads them");
    }

    /** Adds those by which the stack is found again. */
    void putLabels(ObjectNode to) {
        ObjectNode target = labelsOf(to);
        labels.forEach((name, value) -> target.put(name, value.replace("$", "$$")));
    }

    private static ObjectNode labelsOf(ObjectNode node) {
        return node.get("labels") instanceof ObjectNode labels ? labels : node.putObject("labels");
    }
}
