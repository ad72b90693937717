package io.maestro.git.internal;

import io.maestro.files.internal.SafeDirectory;
import io.maestro.git.GitException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.eclipse.jgit.lib.ObjectId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes clones for what is judged, out of the agents' reach. Each has a directory that no other had: what a process of an
 * earlier one still writes does not get into the next.
 */
public final class SnapshotCheckout {
    private static final Logger LOG = LoggerFactory.getLogger(SnapshotCheckout.class);

    private final Path projectDirectory;
    private final Checkout checkout;
    private final String agentId;

    SnapshotCheckout(Path projectDirectory, Checkout checkout, String agentId) {
        this.projectDirectory = projectDirectory;
        this.checkout = checkout;
        this.agentId = agentId;
    }

    /** Where they are. */
    static Path all(Path projectDirectory) {
        return projectDirectory.resolve(".maestro").resolve("checkouts");
    }

    /** Those that are in use, or that an earlier process has left. */
    public static List<Path> existing(Path projectDirectory) {
        Path all = all(projectDirectory);
        if (!Files.isDirectory(all)) {
            return List.of();
        }
        try (Stream<Path> directories = Files.list(all)) {
            return directories.filter(Files::isDirectory).toList();
        } catch (IOException e) {
            throw new GitException("the directory " + all + " cannot be read: " + e, e);
        }
    }

    /** Where the next is made. */
    Path directory() {
        return all(projectDirectory).resolve(agentId + "-" + UUID.randomUUID());
    }

    void make(Path directory, Workspace.Place place, String base) throws IOException {
        checkout.makeIn(directory, agentId, place, ObjectId.fromString(base));
    }

    /** What cannot be deleted now is deleted by the next start. */
    void delete(Path directory) {
        try {
            SafeDirectory.deleteTree(directory);
        } catch (IOException e) {
            LOG.warn("the checkout {} cannot be deleted yet: {}", directory, e.toString());
        }
    }
}
