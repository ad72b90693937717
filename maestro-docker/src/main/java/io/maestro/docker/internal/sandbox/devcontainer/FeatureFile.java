package io.maestro.docker.internal.sandbox.devcontainer;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.docker.internal.sandbox.devcontainer.DevContainer.Feature;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a feature of a devcontainer says of itself: the file {@code devcontainer-feature.json} beside its {@code install.sh}. Of it the
 * defaults of options count.
 */
final class FeatureFile {
    private static final int LONGEST_VALUE = 16_000;
    private static final int MOST_OPTIONS = 100;

    /** What would give the container more, or run something when it starts. */
    private static final List<String> NOT_FOLLOWED = List.of(
            "containerEnv",
            "privileged",
            "init",
            "capAdd",
            "securityOpt",
            "entrypoint",
            "mounts",
            "dependsOn",
            "onCreateCommand",
            "updateContentCommand",
            "postCreateCommand",
            "postStartCommand");

    private FeatureFile() {}

    /**
     * A feature with the defaults of the options that were not given.
     *
     * @param notes is told what of it is not followed
     */
    static Feature over(Feature feature, String text, List<String> notes) {
        String name = feature.directory() + "/devcontainer-feature.json";
        JsonNode root;
        try {
            root = DevContainerReader.parse(text);
        } catch (IllegalArgumentException e) {
            notes.add(name + " is not followed: " + e.getMessage());
            return feature;
        }
        NOT_FOLLOWED.stream()
                .filter(root::hasNonNull)
                .forEach(member -> notes.add(member + " of " + name + " is not followed"));
        Map<String, String> options = new LinkedHashMap<>();
        root.path("options").properties().stream().limit(MOST_OPTIONS).forEach(option -> {
            JsonNode value = option.getValue().path("default");
            boolean harmless = value.isBoolean()
                    || value.isTextual()
                            && value.textValue().length() <= LONGEST_VALUE
                            && value.textValue().indexOf('\0') < 0;
            if (harmless && DevContainerReader.isOption(option.getKey())) {
                options.put(option.getKey(), value.asText());
            }
        });
        options.putAll(feature.options());
        return new Feature(feature.directory(), options);
    }
}
