package io.maestro.environment.internal;

import io.maestro.environment.Workplace;
import io.maestro.error.MaestroException;
import io.maestro.files.internal.SafeDirectory;
import io.maestro.internal.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where programs that work on this machine itself keep what outlasts their process: a directory for each agent, and beside it
 * which attempt it belongs to. Safe for use by several threads, each with an agent of its own.
 */
final class LocalState {
    private final Path directory;

    LocalState(Path projectDirectory) {
        this.directory = projectDirectory.resolve(".maestro").resolve("state");
    }

    /** The directory of an attempt, empty unless the attempt has kept something in it. */
    Path open(Workplace place) {
        Path own = directory.resolve(place.agentId());
        String whose = whose(place.storyId(), place.attempt());
        try {
            if (!Files.isDirectory(own) || !whose.equals(read(mark(place.agentId())))) {
                delete(place.agentId());
                PrivateFiles.makeOwn(own);
                // Last: with it the directory is whole.
                Path made = directory.resolve(".." + place.agentId());
                Files.writeString(made, whose);
                Files.move(
                        made,
                        mark(place.agentId()),
                        StandardCopyOption.ATOMIC_MOVE,
                        StandardCopyOption.REPLACE_EXISTING);
            }
            return own;
        } catch (IOException e) {
            throw new MaestroException("the state of " + place.agentId() + " cannot be kept in " + own + ": " + e, e);
        }
    }

    private static String whose(@Nullable String storyId, int attempt) {
        return storyId + " " + attempt + "\n";
    }

    private Path mark(String agentId) {
        // No agent's name begins so.
        return directory.resolve("." + agentId);
    }

    private static String read(Path file) throws IOException {
        return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) ? Files.readString(file) : "";
    }

    /** Deletes what an attempt has kept; does nothing when the agent's directory belongs to another one. */
    void remove(Workplace place) {
        try {
            if (whose(place.storyId(), place.attempt()).equals(read(mark(place.agentId())))) {
                delete(place.agentId());
            }
        } catch (IOException e) {
            throw new MaestroException(
                    "what " + place.agentId() + " has kept in " + directory + " cannot be deleted: " + e, e);
        }
    }

    private void delete(String agentId) throws IOException {
        // First: without it the directory is not whole, and is nobody's.
        SafeDirectory.deleteTree(mark(agentId));
        SafeDirectory.deleteTree(directory.resolve(agentId));
    }

    /** Deletes what all attempts have kept but these, each a story's id with the number of its attempt. */
    void removeAllBut(Map<String, Integer> attempts) {
        if (!Files.isDirectory(directory)) {
            return;
        }
        Set<String> kept = new HashSet<>();
        attempts.forEach((storyId, attempt) -> kept.add(whose(storyId, attempt)));
        try (Stream<Path> entries = Files.list(directory)) {
            for (Path entry : entries.toList()) {
                String name = String.valueOf(entry.getFileName());
                if (name.startsWith("..")) {
                    // A mark that was being made by a process that was killed.
                    SafeDirectory.deleteTree(entry);
                    continue;
                }
                String agentId = name.startsWith(".") ? name.substring(1) : name;
                if (!kept.contains(read(mark(agentId)))) {
                    delete(agentId);
                }
            }
        } catch (IOException e) {
            throw new MaestroException("what agents have kept in " + directory + " cannot be deleted: " + e, e);
        }
    }
}
