package io.maestro.docker.internal;

import io.maestro.docker.DockerException;
import io.maestro.internal.PrivateFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What an instance keeps in its project directory: its id, and a sign of life.
 *
 * @param project the project directory, absolute, without symbolic links
 */
record ProjectFiles(Path project) {
    /** After how long without a sign of life an instance may be dead. */
    static final Duration DEAD = Duration.ofMinutes(2);

    private static final Pattern ID = Pattern.compile("[0-9a-f]{16}");

    /** @throws DockerException when the directory cannot be made or written */
    static ProjectFiles make(Path projectDirectory) {
        try {
            Path project = PrivateFiles.makeMissing(projectDirectory).toRealPath();
            PrivateFiles.requireTrusted(projectDirectory);
            PrivateFiles.makeOwn(project.resolve(".maestro"));
            return new ProjectFiles(project);
        } catch (IOException e) {
            throw new DockerException(
                    "the project directory " + projectDirectory + " cannot be used: " + e
                            + "; it must be a directory that can be written",
                    e);
        }
    }

    private Path idFile() {
        return project.resolve(".maestro").resolve("instance");
    }

    private Path heartbeat() {
        return project.resolve(".maestro").resolve("heartbeat");
    }

    /** The id; empty when there is none or it is another directory's, copied. */
    Optional<String> id() {
        try {
            List<String> lines = Files.readAllLines(idFile(), StandardCharsets.UTF_8);
            String id = lines.isEmpty() ? "" : lines.get(0).strip();
            boolean own = lines.size() < 2 || isOwn(id, lines.get(1));
            return own && ID.matcher(id).matches() ? Optional.of(id) : Optional.empty();
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new DockerException("the id of the instance cannot be read from " + idFile(), e);
        }
    }

    /** A directory that was copied has the id of one that is still there; one that was moved keeps its own. */
    private boolean isOwn(String id, String writtenIn) {
        try {
            if (project.toString().equals(writtenIn)) {
                return true;
            }
            Path original = Path.of(writtenIn).resolve(".maestro").resolve("instance");
            return !Files.exists(original) || !Files.readString(original).startsWith(id);
        } catch (IOException | IllegalArgumentException e) {
            return false;
        }
    }

    /** The id, made if need be; when several make one at the same time, one wins. */
    String idOrNew() {
        Optional<String> known = id();
        if (known.isPresent()) {
            return known.get();
        }
        try {
            Path made = Files.writeString(
                    Files.createTempFile(project.resolve(".maestro"), "instance", ".new"),
                    Instance.newId() + "\n" + project + "\n");
            try {
                Files.createLink(idFile(), made);
            } catch (FileAlreadyExistsException e) {
                // Another was faster and its id counts; or it is copied from elsewhere, or broken.
                if (id().isEmpty()) {
                    Files.move(made, idFile(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
                }
            } finally {
                Files.deleteIfExists(made);
            }
        } catch (IOException e) {
            throw new DockerException("the id of the instance cannot be written to " + idFile(), e);
        }
        return id().orElseThrow(() -> new DockerException("no id can be kept in " + idFile(), null));
    }

    void beat() throws IOException {
        if (!Files.exists(heartbeat())) {
            Files.writeString(heartbeat(), "");
        }
        Files.setLastModifiedTime(heartbeat(), FileTime.from(Instant.now()));
    }

    /** Whether it holds the id and has given no sign of life for a while. */
    boolean seemsDead(String id) {
        if (!Files.isDirectory(project) || !id().equals(Optional.of(id))) {
            return false;
        }
        try {
            Path last = Files.exists(heartbeat()) ? heartbeat() : idFile();
            return Files.getLastModifiedTime(last)
                    .toInstant()
                    .isBefore(Instant.now().minus(DEAD));
        } catch (IOException e) {
            return false;
        }
    }
}
