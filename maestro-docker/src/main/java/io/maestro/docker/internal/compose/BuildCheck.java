package io.maestro.docker.internal.compose;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.docker.internal.DockerfileCheck;
import io.maestro.docker.internal.compose.WorkspaceFiles.Place;
import io.maestro.docker.internal.compose.WorkspaceFiles.RefusedPathException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;

/** How an image of a stack is built: from copies, for the client reads them here; what is inside a Dockerfile runs in the engine. */
final class BuildCheck {
    private static final Set<String> HARMLESS = Set.of("args", "target", "dockerfile_inline", "no_cache", "pull");
    private static final Map<String, String> REFUSED = Map.of(
            "ssh", "keys of this machine are not given away",
            "secrets", "secrets are not supported in builds",
            "network", "builds use the engine's default network; leave it out",
            "privileged", "a privileged build owns the machine",
            "entitlements", "builds get no privileges",
            "cache_from", "caches elsewhere are not supported",
            "cache_to", "caches elsewhere are not supported",
            "extra_hosts", "it could reach services of the machine",
            "isolation", "the isolation is fixed",
            "tags", "the image gets a name of the stack; leave it out");

    private final CheckContext context;
    private final String where;
    private final JsonNode source;

    BuildCheck(CheckContext context, String where, JsonNode source) {
        this.context = context;
        this.where = where;
        this.source = source;
    }

    ObjectNode effective() throws IOException {
        ObjectNode result = JsonNodeFactory.instance.objectNode();
        for (Map.Entry<String, JsonNode> field : source.properties()) {
            String key = field.getKey();
            if (HARMLESS.contains(key)) {
                result.set(key, field.getValue());
            } else if (REFUSED.containsKey(key) && !ComposeChecker.isNothing(field.getValue())) {
                context.findings().refuse(where + "." + key, String.valueOf(REFUSED.get(key)));
            } else if (key.equals("labels")) {
                context.copyLabels(where, field.getValue(), result);
            } else if (!Set.of("context", "dockerfile", "additional_contexts").contains(key)
                    && !ComposeChecker.isNothing(field.getValue())) {
                context.unknown(where, key);
            }
        }
        context.putLabels(result);
        paths(result);
        return result;
    }

    private void paths(ObjectNode result) throws IOException {
        String given = source.path("context").asText("");
        try {
            requireLocal(given);
            Place place = context.place(given);
            result.put("context", context.escaped(context.copies().forBuild(place)));
            if (!source.has("dockerfile_inline")) {
                String dockerfile = source.path("dockerfile").asText("Dockerfile");
                requireLocal(dockerfile);
                String path = Path.of(dockerfile).isAbsolute()
                        ? dockerfile
                        : place.named().resolve(dockerfile).toString();
                Path copy = context.copies().file(context.place(path));
                requireModest("dockerfile", new String(Files.readAllBytes(copy), StandardCharsets.UTF_8));
                result.put("dockerfile", context.escaped(copy));
            } else {
                requireModest(
                        "dockerfile_inline",
                        source.path("dockerfile_inline").asText().replace("$$", "$"));
            }
        } catch (RefusedPathException e) {
            context.findings().refuse(where, e.getMessage());
        }
        for (Map.Entry<String, JsonNode> more :
                source.path("additional_contexts").properties()) {
            try {
                String path = more.getValue().asText();
                requireLocal(path);
                ObjectNode target = result.get("additional_contexts") instanceof ObjectNode there
                        ? there
                        : result.putObject("additional_contexts");
                target.put(more.getKey(), context.escaped(context.copies().forBuild(context.place(path))));
            } catch (RefusedPathException e) {
                context.findings().refuse(where + ".additional_contexts", e.getMessage());
            }
        }
    }

    private void requireModest(String field, String dockerfile) {
        DockerfileCheck.ofUntrusted(dockerfile)
                .ifPresent(fault -> context.findings().refuse(where + "." + field, "it " + fault));
    }

    private static void requireLocal(String path) throws RefusedPathException {
        if (path.isBlank() || path.indexOf(':') >= 0 || path.indexOf('@') >= 0 || path.equals("-")) {
            throw new RefusedPathException(
                    "'" + path + "' is no directory or file of the workspace; nothing remote is built", false);
        }
    }
}
