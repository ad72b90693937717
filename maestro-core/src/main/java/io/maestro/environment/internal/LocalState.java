package io.maestro.environment.internal;

import io.maestro.environment.Workplace;
import io.maestro.error.MaestroException;
import io.maestro.files.internal.SafeDirectory;
import io.maestro.internal.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * Where programs that work on this machine itself keep what outlasts a JVM that is killed: a directory for each agent, and
 * beside it whose it is. Safe for use by several threads, each with an agent of its own.
 */
final class LocalState {
    private final Path directory;

    LocalState(Path projectDirectory) {
        this.directory = projectDirectory.resolve(".maestro").resolve("state");
    }

    /** The directory of an attempt, empty unless an earlier life has kept something in it. */
    Path open(Workplace place) {
        Path own = directory.resolve(place.agentId());
        String whose = place.storyId() + " " + place.attempt() + "\n";
        try {
            if (!Files.isDirectory(own) || !whose.equals(read(mark(place)))) {
                remove(place);
                PrivateFiles.makeOwn(own);
                // Last: with it the directory is whole.
                Path made = directory.resolve(".." + place.agentId());
                Files.writeString(made, whose);
                Files.move(made, mark(place), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            }
            return own;
        } catch (IOException e) {
            throw new MaestroException("the state of " + place.agentId() + " cannot be kept in " + own + ": " + e, e);
        }
    }

    private Path mark(Workplace place) {
        // No agent's name begins so.
        return directory.resolve("." + place.agentId());
    }

    private static String read(Path file) throws IOException {
        try {
            return Files.readString(file);
        } catch (NoSuchFileException e) {
            return "";
        }
    }

    /** Deletes what an agent has kept. */
    void close(Workplace place) {
        try {
            remove(place);
        } catch (IOException e) {
            throw new MaestroException(
                    "what " + place.agentId() + " has kept in " + directory + " cannot be deleted: " + e, e);
        }
    }

    private void remove(Workplace place) throws IOException {
        Files.deleteIfExists(mark(place));
        SafeDirectory.deleteTree(directory.resolve(place.agentId()));
    }

    /** Deletes what all agents have kept. */
    void close() {
        try {
            SafeDirectory.deleteTree(directory);
        } catch (IOException e) {
            throw new MaestroException("what agents have kept in " + directory + " cannot be deleted: " + e, e);
        }
    }
}
