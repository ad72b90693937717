package io.maestro.git.hosted.internal.gitea;

import static io.maestro.git.hosted.internal.ForgeApi.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.git.hosted.internal.ForgeApi;
import io.maestro.git.hosted.internal.PullRequest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Puts labels on a request, which Gitea knows by numbers and does not make by itself. */
final class GiteaLabels {
    private final ForgeApi api;
    private final String path;

    /** @param path of the repository */
    GiteaLabels(ForgeApi api, String path) {
        this.api = api;
        this.path = path;
    }

    void put(PullRequest request, List<String> names) {
        Map<String, Long> known = new HashMap<>();
        for (JsonNode label : api.list(path + "/labels", null)) {
            known.putIfAbsent(text(label.path("name")), label.path("id").asLong());
        }
        ObjectNode body = ForgeApi.object();
        ArrayNode ids = body.putArray("labels");
        for (String name : names) {
            Long id = known.get(name);
            ids.add(id == null ? make(name) : id);
        }
        JsonNode unused = api.change("POST", path + "/issues/" + request.number() + "/labels", body);
    }

    private long make(String name) {
        ObjectNode body = ForgeApi.object().put("name", name).put("color", "#808080");
        return api.change("POST", path + "/labels", body).path("id").asLong();
    }
}
