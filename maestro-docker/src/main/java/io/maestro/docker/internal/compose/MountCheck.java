package io.maestro.docker.internal.compose;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.docker.Mount;
import io.maestro.docker.internal.compose.WorkspaceFiles.RefusedFileException;
import io.maestro.docker.internal.compose.WorkspaceFiles.ResolvedFile;
import java.io.IOException;
import java.util.Map;
import java.util.Set;

/**
 * What a service mounts. The workspace itself is mounted as it is, {@code .git} with it: the agent can write all of it anyway. A file or
 * directory in it is mounted as a copy that can only be read: the engine looks a path up when the container starts, and by
 * then an agent, or another service of the same stack, may have made it a link to the root of the machine.
 */
final class MountCheck {
    /** The volume under which a workspace that is one is known in the file. */
    static final String WORKSPACE_VOLUME = "maestro-workspace";

    private final CheckContext context;
    private final Findings findings;
    private final String service;
    private final String where;
    private final ObjectNode volumes;
    private final ObjectNode result;

    MountCheck(CheckContext context, String service, ObjectNode result, ObjectNode volumes) {
        this.context = context;
        this.findings = context.findings();
        this.service = service;
        this.where = "services." + service + ".volumes";
        this.result = result;
        this.volumes = volumes;
    }

    void apply(JsonNode all) throws IOException {
        ArrayNode target = result.putArray("volumes");
        int index = 0;
        for (JsonNode one : all) {
            index++;
            ObjectNode mount = target.addObject();
            String place = one.path("target").asText();
            mount.put("target", place);
            if (!place.startsWith("/")) {
                findings.refuse(where, "'" + place + "' is no absolute path in the container");
            }
            if (one.path("read_only").asBoolean()) {
                mount.put("read_only", true);
            }
            switch (one.path("type").asText()) {
                case "volume" -> volume(one, mount, index);
                case "tmpfs" -> {
                    mount.put("type", "tmpfs");
                    if (one.has("tmpfs")) {
                        mount.set("tmpfs", one.get("tmpfs"));
                    }
                }
                case "bind" -> bind(one, mount);
                default ->
                    findings.refuse(where, "the type '" + one.path("type").asText() + "' is not supported");
            }
            requireKnown(one);
        }
    }

    private void requireKnown(JsonNode mount) {
        for (Map.Entry<String, JsonNode> field : mount.properties()) {
            if (!Set.of("type", "source", "target", "read_only", "consistency", "bind", "volume", "tmpfs")
                    .contains(field.getKey())) {
                context.unknown(where, field.getKey());
            }
        }
        for (Map.Entry<String, JsonNode> option : mount.path("bind").properties()) {
            boolean harmless = option.getKey().equals("create_host_path")
                    || (option.getKey().equals("propagation")
                            && option.getValue().asText().endsWith("private"));
            if (!harmless && !ComposeChecker.isNothing(option.getValue())) {
                findings.refuse(where + ".bind." + option.getKey(), "it would change the machine; leave it out");
            }
        }
        for (Map.Entry<String, JsonNode> option : mount.path("volume").properties()) {
            if (!option.getKey().equals("nocopy") && !ComposeChecker.isNothing(option.getValue())) {
                context.unknown(where + ".volume", option.getKey());
            }
        }
    }

    private void volume(JsonNode one, ObjectNode mount, int index) {
        String source = one.path("source").asText("");
        if (source.isEmpty()) {
            // Anonymous volumes carry no labels; this one does.
            source = "maestro-" + service + "-" + index;
            ObjectNode volume = volumes.putObject(source);
            volume.put("name", context.project() + "_" + source);
            context.putLabels(volume);
        } else if (!volumes.has(source)) {
            findings.refuse(where, "the volume '" + source + "' is not defined in the file");
        }
        mount.put("type", "volume").put("source", source);
        if (one.path("volume").path("nocopy").asBoolean()) {
            mount.putObject("volume").put("nocopy", true);
        }
    }

    private void bind(JsonNode one, ObjectNode mount) throws IOException {
        String source = one.path("source").asText("");
        if (source.endsWith("docker.sock") || source.endsWith("podman.sock") || source.endsWith("containerd.sock")) {
            findings.refuse(where, "no container gets the engine's socket");
            return;
        }
        try {
            ResolvedFile place = context.place(source);
            if (place.isWorkspace()) {
                workspace(mount);
                return;
            }
            context.requireCopiesTravel();
            mount.put("type", "bind")
                    .put("source", context.escaped(context.copies().forContainers(place)))
                    .put("read_only", true);
            findings.note(
                    where + ": '" + place.named() + "' is a copy that can only be read; after changes call compose_up"
                            + " again, for data use a named volume, for live files mount '.'");
        } catch (RefusedFileException e) {
            findings.refuse(where, e.getMessage());
        }
    }

    /** What the source of a mount of the workspace is. */
    static String workspaceSource(Mount workspace) {
        return workspace.kind() == Mount.Kind.BIND ? workspace.source().replace("$", "$$") : WORKSPACE_VOLUME;
    }

    private void workspace(ObjectNode mount) {
        Mount workspace = context.stack().mount();
        if (workspace.kind() == Mount.Kind.BIND) {
            mount.put("type", "bind").put("source", workspaceSource(workspace));
        } else {
            mount.put("type", "volume").put("source", WORKSPACE_VOLUME);
            volumes.putObject(WORKSPACE_VOLUME).put("external", true).put("name", workspace.source());
        }
    }
}
