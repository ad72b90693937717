package io.maestro.docker.internal.compose;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.docker.internal.DockerCli;
import io.maestro.docker.internal.Image;
import io.maestro.files.internal.SafeDirectory;
import io.maestro.internal.PrivateFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Makes of a compose file of a workspace the one that is run, and builds the images that it needs. For one use. */
final class StackPlan {
    /** How deep the directory is that compose takes for the workspace, so that few '..' stay below the stack's own. */
    static final int TREE_DEPTH = 40;

    private final StackOwner owner;
    private final String project;
    private final Path directory;
    private final Map<String, String> labels;
    private final DockerCli cli;
    private final WorkspaceFiles files;
    private final WorkspaceCopies copies;
    private final List<StackImages.Build> builds = new ArrayList<>();
    private final Findings findings = new Findings();
    private ObjectNode services = JsonNodeFactory.instance.objectNode();

    /**
     * Of a stack.
     *
     * @param directory the stack's own
     * @param labels what everything of it carries
     * @param cli says what its images carry
     */
    StackPlan(StackOwner owner, String project, Path directory, Map<String, String> labels, DockerCli cli)
            throws IOException {
        this.cli = cli;
        this.owner = owner;
        this.project = project;
        this.directory = directory;
        this.labels = labels;
        this.files = new WorkspaceFiles(owner.workspace());
        this.copies = new WorkspaceCopies(
                files,
                directory.resolve("copies"),
                owner.rules().mostCopiedBytes(),
                owner.images().secrets());
    }

    /** What of the workspace is used. */
    WorkspaceCopies copies() {
        return copies;
    }

    /** What was changed without asking. */
    List<String> notes() {
        return findings.notes();
    }

    /**
     * Reads a file, and checks and rewrites it.
     *
     * @throws ComposeRefusedException when it asks for what it does not get
     */
    ObjectNode effective(String path, ComposeCommand compose) throws IOException {
        // Deep, so that however many '..' a path has, it leads to an empty directory.
        Path top = directory.resolve("read");
        SafeDirectory.deleteTree(top);
        Path tree = PrivateFiles.makeMissing(top.resolve("0/".repeat(TREE_DEPTH)));
        try {
            ComposeReader.Taken taken = new ComposeReader(files, tree, findings).take(path);
            JsonNode canonical = compose.config(tree, taken.file(), taken.variables());
            new SecretsCheck(owner.images().secrets()::in, findings).check("", canonical);
            ObjectNode effective = new ComposeChecker(
                            new CheckContext(owner, project, labels, tree, files, copies, builds, findings))
                    .effective(canonical);
            services = (ObjectNode) effective.path("services");
            return effective;
        } finally {
            SafeDirectory.deleteTree(top);
        }
    }

    /**
     * Builds the images, and sets what services would have of theirs to nothing.
     *
     * @throws ComposeRefusedException when one of them asks for what it does not get
     */
    void build() {
        for (StackImages.Build build : builds) {
            try {
                owner.images().build(build, labels);
            } catch (IllegalArgumentException e) {
                throw new ComposeRefusedException(
                        "services." + build.service() + ".build", String.valueOf(e.getMessage()));
            }
        }
        Map<String, List<String>> inherited = new HashMap<>();
        services.properties().forEach(service -> {
            ObjectNode own = (ObjectNode) service.getValue().path("labels");
            inherited
                    .computeIfAbsent(
                            service.getValue().path("image").asText(), image -> labels(service.getKey(), image))
                    .stream()
                    .filter(name -> !own.has(name))
                    .forEach(name -> own.put(name, ""));
        });
    }

    private List<String> labels(String service, String image) {
        try {
            return Image.Inherited.find(cli, image).map(Image.Inherited::labels).orElse(List.of());
        } catch (IllegalArgumentException e) {
            throw new ComposeRefusedException("services." + service + ".image", String.valueOf(e.getMessage()));
        }
    }

    /** The names by which services are reached, at most 100. */
    static List<String> names(ObjectNode effective) {
        Set<String> found = new TreeSet<>();
        effective.path("services").properties().forEach(service -> {
            found.add(service.getKey());
            service.getValue()
                    .path("networks")
                    .forEach(network -> network.path("aliases").forEach(alias -> found.add(alias.asText())));
        });
        return found.stream().limit(100).toList();
    }
}
