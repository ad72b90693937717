package io.maestro.docker.internal.compose;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.docker.internal.compose.WorkspaceFiles.RefusedFileException;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Makes of what {@code docker compose config} understood the file that is really run: only what is known to be harmless is
 * taken over, everything else is refused or left out, and labels, limits and names are added. For one use.
 */
final class ComposeChecker {
    private static final Set<String> SECTIONS = Set.of("services", "networks", "volumes", "secrets", "configs");

    /** An engine has addresses for about thirty, for all who use it. */
    private static final int MOST_NETWORKS = 4;

    private static final Set<String> IGNORED = Set.of("name", "version");

    private final CheckContext context;
    private final Findings findings;

    /** The images that services name, as the engine knows them. */
    private final Map<String, String> images = new HashMap<>();

    /** Why others may not be used. */
    private final Map<String, String> refusals = new HashMap<>();

    ComposeChecker(CheckContext context) {
        this.context = context;
        this.findings = context.findings();
    }

    /** Checks and rewrites; throws with everything that is wrong. */
    ObjectNode effective(JsonNode canonical) throws IOException {
        requireFew(canonical.path("services"));
        requireEscaped("the file", canonical);
        canonical.fieldNames().forEachRemaining(key -> {
            if (!SECTIONS.contains(key) && !IGNORED.contains(key) && !key.startsWith("x-")) {
                findings.refuse(key, "it is not supported");
            }
        });
        ObjectNode result = JsonNodeFactory.instance.objectNode();
        ObjectNode services = result.putObject("services");
        // First, because services add volumes of their own.
        ObjectNode networks = result.putObject("networks");
        ObjectNode volumes = result.putObject("volumes");
        networks(canonical.path("networks"), networks);
        volumes(canonical.path("volumes"), volumes);
        Set<String> files = Set.of("secrets", "configs");
        for (String section : files) {
            ObjectNode target = result.putObject(section);
            for (Map.Entry<String, JsonNode> one : canonical.path(section).properties()) {
                file(section, one.getKey(), one.getValue(), target);
            }
        }
        services(canonical.path("services"), services, volumes);
        findings.throwIfAny();
        return result;
    }

    /** Before any is looked at: each costs commands of the engine's client, and an agent chooses how many there are. */
    private void requireFew(JsonNode services) {
        long containers = 0;
        for (JsonNode service : services) {
            containers += LimitsCheck.containers(service);
        }
        int most = context.stack().rules().mostContainers();
        if (services.size() > most || containers > most) {
            findings.refuse(
                    "services",
                    services.size() + " services with " + containers + " containers are more than the " + most
                            + " allowed");
            findings.throwIfAny();
        }
    }

    private void services(JsonNode all, ObjectNode target, ObjectNode volumes) throws IOException {
        if (all.isEmpty()) {
            findings.refuse("services", "there are none; define at least one");
        }
        Map<String, String> built = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> service : all.properties()) {
            if (!service.getValue().path("build").isMissingNode()) {
                String image = context.project() + "-" + service.getKey().toLowerCase(Locale.ROOT);
                while (built.containsValue(image)) {
                    image += "-2";
                }
                built.put(service.getKey(), image);
                String name = service.getValue().path("image").asText("");
                if (!name.isEmpty()) {
                    images.put(name, image);
                }
            }
        }
        for (Map.Entry<String, JsonNode> service : all.properties()) {
            ServiceCheck check = new ServiceCheck(context, service.getKey(), service.getValue(), volumes);
            target.set(service.getKey(), check.effective(built.get(service.getKey()), this::image));
        }
    }

    /** The engine is asked about each image once, however many services name it, and whatever it says. */
    private String image(String name) {
        String refusal = refusals.get(name);
        if (refusal != null) {
            throw new IllegalArgumentException(refusal);
        }
        try {
            return images.computeIfAbsent(name, context.stack().images()::find);
        } catch (IllegalArgumentException e) {
            refusals.put(name, String.valueOf(e.getMessage()));
            throw e;
        }
    }

    private void networks(JsonNode all, ObjectNode target) {
        if (all.size() > MOST_NETWORKS) {
            findings.refuse("networks", all.size() + " are more than the " + MOST_NETWORKS + " allowed");
        }
        for (Map.Entry<String, JsonNode> network : all.properties()) {
            String where = "networks." + network.getKey();
            ObjectNode result = target.putObject(network.getKey());
            result.put("name", context.project() + "_" + network.getKey());
            for (Map.Entry<String, JsonNode> field : network.getValue().properties()) {
                JsonNode value = field.getValue();
                if (isNothing(value)) {
                    continue;
                }
                switch (field.getKey()) {
                    case "name" -> {}
                    case "internal", "attachable" -> result.set(field.getKey(), value);
                    case "labels" -> context.leaveOutLabels(where, value);
                    case "enable_ipv6" -> findings.note(where + ": enable_ipv6 is left out");
                    case "driver" -> {
                        if (!value.asText().equals("bridge")) {
                            findings.refuse(where + ".driver", "only bridge is allowed, not " + value.asText());
                        }
                    }
                    // An address range of the agent's choice takes the route to whoever has these addresses.
                    case "ipam" -> findings.note(where + ": ipam is left out; the engine chooses the addresses");
                    case "external" ->
                        findings.refuse(
                                where + ".external", "networks of others are not joined; let the stack have its own");
                    default -> context.unknown(where, field.getKey());
                }
            }
            if (context.stack().rules().confined()) {
                // Without an address on it, this machine is not on the network.
                result.put("internal", true);
                result.putObject("driver_opts").put("com.docker.network.bridge.inhibit_ipv4", "true");
            }
            context.putLabels(result);
        }
    }

    private void volumes(JsonNode all, ObjectNode target) {
        for (Map.Entry<String, JsonNode> volume : all.properties()) {
            String where = "volumes." + volume.getKey();
            ObjectNode result = target.putObject(volume.getKey());
            result.put("name", context.project() + "_" + volume.getKey());
            for (Map.Entry<String, JsonNode> field : volume.getValue().properties()) {
                JsonNode value = field.getValue();
                if (isNothing(value)) {
                    continue;
                }
                switch (field.getKey()) {
                    case "name" -> {}
                    case "labels" -> context.leaveOutLabels(where, value);
                    case "driver" -> {
                        if (!value.asText().equals("local")) {
                            findings.refuse(where + ".driver", "only local is allowed, not " + value.asText());
                        }
                    }
                    case "driver_opts" ->
                        findings.refuse(
                                where + ".driver_opts", "options can mount anything of the machine; leave them out");
                    case "external" ->
                        findings.refuse(
                                where + ".external", "volumes of others are not mounted; let the stack have its own");
                    default -> context.unknown(where, field.getKey());
                }
            }
            context.putLabels(result);
        }
    }

    private void file(String section, String name, JsonNode source, ObjectNode target) throws IOException {
        String where = section + "." + name;
        ObjectNode result = target.putObject(name);
        for (Map.Entry<String, JsonNode> field : source.properties()) {
            JsonNode value = field.getValue();
            if (isNothing(value)) {
                continue;
            }
            switch (field.getKey()) {
                case "name", "labels" -> {}
                case "content" -> result.set("content", value);
                case "file" -> {
                    try {
                        context.requireCopiesTravel();
                        result.put("file", context.escaped(context.copies().file(context.place(value.asText()))));
                    } catch (RefusedFileException e) {
                        findings.refuse(where + ".file", e.getMessage());
                    }
                }
                case "environment" ->
                    findings.refuse(where + ".environment", "variables of this machine are not given away; use file");
                case "external" -> findings.refuse(where + ".external", "only files of the workspace are used");
                default -> context.unknown(where, field.getKey());
            }
        }
        if (result.isEmpty()) {
            findings.refuse(where, "it needs a file of the workspace");
        }
    }

    /** Compose replaces variables once more when it reads the result; by then each dollar must stand for itself. */
    private void requireEscaped(String where, JsonNode node) {
        if (node.isTextual() && !escaped(node.asText())) {
            findings.refuse(where, "'" + node.asText() + "' has a variable that was not replaced");
        }
        for (Map.Entry<String, JsonNode> field : node.properties()) {
            if (!escaped(field.getKey())) {
                findings.refuse(where, "the key '" + field.getKey() + "' has a variable");
            }
            requireEscaped(field.getKey(), field.getValue());
        }
        if (node.isArray()) {
            node.forEach(item -> requireEscaped(where, item));
        }
    }

    private static boolean escaped(String text) {
        return text.replace("$$", "").indexOf('$') < 0;
    }

    static boolean isNothing(JsonNode value) {
        return value.isNull()
                || (value.isContainerNode() && value.isEmpty())
                || (value.isBoolean() && !value.asBoolean())
                || (value.isTextual() && value.asText().isEmpty());
    }
}
