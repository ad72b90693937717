package io.maestro.docker.internal;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.docker.DockerException;
import io.maestro.docker.internal.Inspector.ObjectKind;
import io.maestro.internal.Uninterrupted;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Names for images that others are built on, because BuildKit knows no ids. They are for one build only, so that no other takes
 * them away or gives them to another image; but the only name of an image stays, as the image would go with it. Podman builds on
 * ids, and loses names that several commands give to one image at the same time or take from it (8 of 120, podman 4.3.1).
 */
final class BaseNames implements AutoCloseable {
    private static final String REPOSITORY = "maestro-base";

    private final Engine engine;
    private final Map<String, Base> known = new LinkedHashMap<>();
    private final List<String> temporary = new ArrayList<>();

    /**
     * An image that another is built on.
     *
     * @param name what a Dockerfile calls it
     * @param config what it says of containers and builds, as the engine does
     */
    record Base(String name, JsonNode config) {}

    BaseNames(Engine engine) {
        this.engine = engine;
    }

    /** Takes away the names that builds of an instance have left which were killed. None of it builds. */
    static void removeLeft(Engine engine, String instanceId) {
        engine.inspector().imageNames(REPOSITORY).stream()
                .filter(name -> name.contains("-" + instanceId + "-"))
                .forEach(name -> engine.cli().run("image", "rm", "--no-prune", name));
    }

    /**
     * An image with a name.
     *
     * @param id its full id
     */
    Base of(String id) {
        Base found = known.get(id);
        if (found != null) {
            return found;
        }
        JsonNode object = engine.inspector()
                .find(ObjectKind.IMAGE, id)
                .orElseThrow(() -> new DockerException(
                        "the image " + id + " is not on " + engine.cli().host().name() + " any more; build it again",
                        null));
        String name =
                engine.facts().podman() ? id : give(id, object.path("RepoTags").isEmpty());
        Base base = new Base(name, object.path("Config"));
        known.put(id, base);
        return base;
    }

    private String give(String id, boolean only) {
        String hash = id.substring("sha256:".length(), "sha256:".length() + 12);
        String name =
                REPOSITORY + ":" + hash + (only ? "" : "-" + engine.instance().id() + "-" + Instance.newId());
        engine.cli().output("tag", id, name);
        if (!only) {
            temporary.add(name);
        }
        return name;
    }

    @Override
    public void close() {
        temporary.forEach(name -> Uninterrupted.run(() -> engine.cli().run("image", "rm", "--no-prune", name)));
    }
}
