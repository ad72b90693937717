package io.maestro.docker.internal;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.docker.DockerException;
import io.maestro.docker.ImageBuild;
import io.maestro.docker.internal.Inspector.Kind;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;

/** An image that a base and some commands make. */
final class DerivedImage {
    private final Engine engine;
    private final String base;
    private final List<String> commands;

    DerivedImage(Engine engine, String base, List<String> commands) {
        this.engine = engine;
        this.base = base;
        this.commands = List.copyOf(commands);
        for (String command : commands) {
            // A line of its own would be an instruction of its own.
            if (command.isBlank()
                    || command.chars().anyMatch(c -> c != '\t' && c != '\n' && Character.isISOControl(c))) {
                throw new IllegalArgumentException(
                        "a command for an image is not blank and has no control characters, is '" + command + "'");
            }
        }
    }

    Image ensure() {
        JsonNode object = engine.inspector()
                .find(Kind.IMAGE, base)
                .orElseThrow(() -> new DockerException(
                        "there is no image '" + base + "' on "
                                + engine.cli().host().name() + " to derive another from; build it first",
                        null));
        String baseId = Inspector.imageId(object.path("Id").asText());
        String tag = "maestro-derived:" + ContentHash.of(baseId, String.join("\0", commands));
        Optional<Image> there = engine.image(tag);
        return there.isPresent() ? there.get() : build(object, baseId, tag);
    }

    private Image build(JsonNode object, String baseId, String tag) {
        try (BaseNames names = new BaseNames(engine)) {
            String alias = names.of(baseId);
            return BuildDirectory.use(engine.cli().directory(), directory -> {
                Files.writeString(directory.resolve("Dockerfile"), dockerfile(alias, object));
                return engine.builder()
                        .buildShared(ImageBuild.builder(directory).tag(tag).build(), "derived");
            });
        }
    }

    private String dockerfile(String alias, JsonNode object) {
        StringBuilder text = new StringBuilder("FROM ").append(alias).append("\nUSER 0:0\n");
        for (String command : commands) {
            text.append("RUN ").append(Json.write(List.of("sh", "-c", command))).append('\n');
        }
        String user = object.path("Config").path("User").asText();
        if (!user.isEmpty() && user.matches("[A-Za-z0-9_.:-]+")) {
            text.append("USER ").append(user).append('\n');
        }
        return text.toString();
    }
}
