package io.maestro.docker.internal.compose;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.docker.internal.BuildFiles;
import io.maestro.docker.internal.compose.WorkspaceFiles.RefusedFileException;
import io.maestro.docker.internal.compose.WorkspaceFiles.ResolvedFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** How an image of a stack is built: from copies, and as all images of agents are. Compose itself builds nothing. */
final class BuildCheck {
    private static final Set<String> TAKEN = Set.of("context", "dockerfile", "dockerfile_inline", "args", "target");

    /** Without effect: images are looked for and kept by others' rules. */
    private static final Set<String> LEFT_OUT = Set.of("no_cache", "pull", "labels", "platforms");

    private static final Map<String, String> REFUSED = Map.ofEntries(
            Map.entry("ssh", "keys of this machine are not given away"),
            Map.entry("secrets", "secrets are not supported in builds"),
            Map.entry("network", "builds use the engine's default network; leave it out"),
            Map.entry("privileged", "a privileged build owns the machine"),
            Map.entry("entitlements", "builds get no privileges"),
            Map.entry("cache_from", "caches elsewhere are not supported"),
            Map.entry("cache_to", "caches elsewhere are not supported"),
            Map.entry("extra_hosts", "it could reach services of the machine"),
            Map.entry("isolation", "the isolation is fixed"),
            Map.entry("additional_contexts", "one directory is built from; put all into it"),
            Map.entry("tags", "the image gets a name of the stack; leave it out"));

    private final CheckContext context;
    private final String service;
    private final String where;
    private final JsonNode source;

    BuildCheck(CheckContext context, String service, JsonNode source) {
        this.context = context;
        this.service = service;
        this.where = "services." + service + ".build";
        this.source = source;
    }

    /** Checks it, and notes it under the name that the image gets. */
    void note(String tag) throws IOException {
        for (Map.Entry<String, JsonNode> field : source.properties()) {
            String key = field.getKey();
            if (!TAKEN.contains(key) && !LEFT_OUT.contains(key) && !ComposeChecker.isNothing(field.getValue())) {
                if (REFUSED.containsKey(key)) {
                    context.findings().refuse(where + "." + key, String.valueOf(REFUSED.get(key)));
                } else {
                    context.unknown(where, key);
                }
            }
        }
        try {
            String given = source.path("context").asText("");
            requireLocal(given);
            ResolvedFile place = context.place(given);
            // Before its directory is copied: it may be a giant.
            Path dockerfile = dockerfile(place);
            Path copy = context.copies().forBuild(place);
            context.builds()
                    .add(new StackImages.Build(
                            service,
                            tag,
                            context.copies().directory(),
                            copy,
                            dockerfile,
                            arguments(),
                            Optional.ofNullable(source.get("target"))
                                    .map(JsonNode::asText)
                                    .filter(text -> !text.isEmpty())));
        } catch (RefusedFileException e) {
            context.findings().refuse(where, e.getMessage());
        }
    }

    private Path dockerfile(ResolvedFile place) throws RefusedFileException, IOException {
        if (source.has("dockerfile_inline")) {
            return context.copies().text(plain(source.path("dockerfile_inline")));
        }
        String dockerfile = source.path("dockerfile").asText("Dockerfile");
        requireLocal(dockerfile);
        ResolvedFile file = context.place(
                Path.of(dockerfile).isAbsolute()
                        ? dockerfile
                        : place.named().resolve(dockerfile).toString());
        context.files().read(file, BuildFiles.MOST_BYTES);
        return context.copies().file(file);
    }

    private Map<String, String> arguments() {
        Map<String, String> arguments = new LinkedHashMap<>();
        source.path("args").properties().forEach(argument -> {
            // Without a value it would be one of this machine's variables.
            if (!argument.getValue().isNull()) {
                arguments.put(argument.getKey(), plain(argument.getValue()));
            }
        });
        return arguments;
    }

    /** As it was before compose escaped it. */
    private static String plain(JsonNode text) {
        return text.asText().replace("$$", "$");
    }

    private static void requireLocal(String path) throws RefusedFileException {
        if (path.isBlank() || path.indexOf(':') >= 0 || path.indexOf('@') >= 0 || path.equals("-")) {
            throw new RefusedFileException(
                    "'" + path + "' is no directory or file of the workspace; nothing remote is built", false);
        }
    }
}
