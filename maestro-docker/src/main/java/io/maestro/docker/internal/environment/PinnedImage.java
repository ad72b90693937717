package io.maestro.docker.internal.environment;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.error.MaestroException;
import io.maestro.internal.PrivateFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The image that a merged story has made the project's own.
 *
 * @param image its full id
 * @param replaces what the configuration said at that time; when that changes, the pin is void
 * @param story which story it was
 * @param time when, in ISO 8601
 * @param recipe how it was built, so that another engine can have it too; empty when it was not built from the repository
 */
record PinnedImage(String image, String replaces, String story, String time, Optional<BuildPlan> recipe) {
    private static final Logger LOG = LoggerFactory.getLogger(PinnedImage.class);
    private static final ObjectMapper JSON = new ObjectMapper();

    static Path file(Path project) {
        return project.resolve(".maestro").resolve("container.json");
    }

    /** Reads the pin of a project; one that cannot be read is none. */
    static Optional<PinnedImage> read(Path project) {
        Path file = file(project);
        try {
            JsonNode root = JSON.readTree(Files.readString(file));
            String image = root.path("image").asText();
            if (!image.matches("sha256:[0-9a-f]{64}")) {
                LOG.warn("{} names no image id, it is not used: '{}'", file, image);
                return Optional.empty();
            }
            return Optional.of(new PinnedImage(
                    image,
                    root.path("replaces").asText(),
                    root.path("story").asText(),
                    root.path("time").asText(),
                    BuildPlan.fromJson(root.path("recipe").asText())));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            LOG.warn("{} cannot be read, it is not used: {}", file, e.toString());
            return Optional.empty();
        }
    }

    /** Writes the pin of a project: a reader sees the one of before or this one. */
    void write(Path project) {
        Path file = file(project);
        ObjectNode root = JSON.createObjectNode();
        root.put("image", image);
        root.put("replaces", replaces);
        root.put("story", story);
        root.put("time", time);
        recipe.ifPresent(made -> root.put("recipe", made.toJson()));
        try {
            PrivateFiles.makeMissing(file.resolveSibling(""));
            Path fresh = Files.createTempFile(file.getParent(), "container", ".tmp");
            try {
                Files.writeString(fresh, JSON.writerWithDefaultPrettyPrinter().writeValueAsString(root) + "\n");
                try (FileChannel channel = FileChannel.open(fresh, StandardOpenOption.WRITE)) {
                    channel.force(true);
                }
                Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            } finally {
                Files.deleteIfExists(fresh);
            }
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        } catch (IOException e) {
            throw new MaestroException("the project's image cannot be kept in " + file + ": " + e, e);
        }
    }
}
