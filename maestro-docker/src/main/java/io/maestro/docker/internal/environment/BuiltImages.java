package io.maestro.docker.internal.environment;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.error.MaestroException;
import io.maestro.internal.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which images this project has built, and how: written here, where no agent can write, when a builder has said so. What an
 * image says of itself proves nothing. Safe for use by several threads.
 */
final class BuiltImages {
    private static final Logger LOG = LoggerFactory.getLogger(BuiltImages.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String NO_RECIPE = "";
    private static final int MOST = 5_000;

    private final Path file;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, String> recipes = new LinkedHashMap<>();

    /** Of a project directory. */
    BuiltImages(Path project) {
        this.file = project.resolve(".maestro").resolve("images.json");
        try {
            JsonNode all = JSON.readTree(Files.readString(file));
            all.properties()
                    .forEach(image ->
                            recipes.put(image.getKey(), image.getValue().asText()));
        } catch (NoSuchFileException e) {
            LOG.debug("no image was built yet: {}", file);
        } catch (IOException e) {
            LOG.warn("{} cannot be read; images that were built before count as others': {}", file, e.toString());
        }
    }

    /**
     * Takes note of an image.
     *
     * @param recipe how it was built; empty for one that the project cannot be given, as of a stack
     */
    void add(String id, Optional<BuildPlan> recipe) {
        change(() -> {
            String text = recipe.map(BuildPlan::toJson).orElse(NO_RECIPE);
            // The same files may be built as a project's image and as a stack's.
            return !text.equals(text.isEmpty() ? recipes.putIfAbsent(id, text) : recipes.put(id, text));
        });
    }

    /** Forgets one that was removed. */
    void remove(String id) {
        change(() -> recipes.remove(id) != null);
    }

    /** Whether it was built here. */
    boolean contains(String id) {
        lock.lock();
        try {
            return recipes.containsKey(id);
        } finally {
            lock.unlock();
        }
    }

    /** How it was built; empty when it was not, or not for the project. */
    Optional<BuildPlan> recipe(String id) {
        lock.lock();
        try {
            return Optional.ofNullable(recipes.get(id)).flatMap(BuildPlan::fromJson);
        } finally {
            lock.unlock();
        }
    }

    private interface Change {
        boolean made();
    }

    private void change(Change change) {
        lock.lock();
        try {
            if (!change.made()) {
                return;
            }
            ObjectNode root = JSON.createObjectNode();
            while (recipes.size() > MOST) {
                recipes.remove(recipes.keySet().iterator().next());
            }
            recipes.forEach(root::put);
            Path directory = PrivateFiles.makeMissing(file.resolveSibling(""));
            Path fresh = Files.createTempFile(directory, "images", ".tmp");
            try {
                Files.writeString(fresh, JSON.writerWithDefaultPrettyPrinter().writeValueAsString(root) + "\n");
                Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            } finally {
                Files.deleteIfExists(fresh);
            }
        } catch (IOException e) {
            throw new MaestroException("which images were built cannot be kept in " + file + ": " + e, e);
        } finally {
            lock.unlock();
        }
    }
}
