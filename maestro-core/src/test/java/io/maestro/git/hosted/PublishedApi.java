package io.maestro.git.hosted;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * What is published of the API of GitHub (OpenAPI) and of Gitea (types made from Swagger), cut down to what is used here by the
 * scripts beside it. It knows no name of a member or of a parameter that the server does not have, so that neither the forge nor
 * the script of a server can invent one.
 */
final class PublishedApi {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final SchemaRegistry REGISTRY =
            SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);
    private static final Map<JsonNode, Schema> SCHEMAS = new ConcurrentHashMap<>();

    static final PublishedApi GITHUB = new PublishedApi("published-api.json");
    static final PublishedApi GITEA = new PublishedApi("published-gitea.json");

    private final List<Operation> operations;

    private record Operation(String method, Pattern path, JsonNode json) {}

    private PublishedApi(String file) {
        operations = read(file);
    }

    private static List<Operation> read(String file) {
        List<Operation> all = new ArrayList<>();
        try (InputStream in = PublishedApi.class.getResourceAsStream(file)) {
            MAPPER.readTree(in).path("operations").properties().forEach(entry -> {
                String[] name = entry.getKey().split(" ", 2);
                String path =
                        name[1].replaceAll("\\{(ref|branch|basehead)}", ".+").replaceAll("\\{[a-z_]+}", "[^/]+");
                all.add(new Operation(name[0], Pattern.compile(path), entry.getValue()));
            });
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return all;
    }

    /** What is wrong with a request that succeeded and with its answer; the path is that of the API. */
    List<String> faults(String method, String path, Map<String, String> query, String body, int status, String answer) {
        Optional<Operation> found = operations.stream()
                .filter(one ->
                        one.method().equals(method) && one.path().matcher(path).matches())
                .findFirst();
        if (found.isEmpty()) {
            return List.of("there is no " + method + " " + path);
        }
        JsonNode json = found.get().json();
        List<String> faults = new ArrayList<>();
        query.forEach((name, value) -> {
            JsonNode schema = json.path("query").path(name);
            String text = schema.path("type").asText().equals("integer") ? value : "\"" + value + "\"";
            faults.addAll(schema.isMissingNode() ? List.of("no parameter " + name) : faults(schema, text));
        });
        if (status != json.path("status").asInt()) {
            faults.add("it answers " + json.path("status"));
        }
        if (json.has("request")) {
            faults.addAll(faults(json.path("request"), body));
        } else if (!body.isEmpty()) {
            faults.add("it has no body");
        }
        if (json.has("response")) {
            faults.addAll(faults(json.path("response"), answer));
        }
        return faults.stream().map(fault -> method + " " + path + ": " + fault).toList();
    }

    private static List<String> faults(JsonNode schema, String json) {
        return SCHEMAS
                .computeIfAbsent(schema, one -> REGISTRY.getSchema(one.toString(), InputFormat.JSON))
                .validate(json, InputFormat.JSON)
                .stream()
                .map(Object::toString)
                .toList();
    }
}
