package io.maestro.team.internal.dispatch;

import io.maestro.error.MaestroException;
import io.maestro.internal.DurableFile;
import io.maestro.internal.PrivateFiles;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Says of each workspace in a project directory whose work it holds, out of the agents' reach. A mark is set when a
 * workspace is complete and removed before it is emptied, so a workspace with a story's mark is whole. Safe for use by
 * several threads, each with an agent of its own.
 */
public final class WorkspaceMarkers {
    private final Path projectDirectory;
    private final Path directory;

    public WorkspaceMarkers(Path projectDirectory) {
        this.projectDirectory = projectDirectory;
        this.directory = projectDirectory.resolve(".maestro").resolve("workspaces");
    }

    /**
     * Whose work a workspace holds.
     *
     * @param storyId the story
     * @param workspaceId which attempt's; unique
     */
    public record WorkspaceMarker(String agentId, String storyId, String workspaceId) {}

    public Optional<WorkspaceMarker> of(String agentId) {
        try {
            String[] words =
                    Files.readString(directory.resolve(agentId)).strip().split(" ", -1);
            return words.length == 2 ? Optional.of(new WorkspaceMarker(agentId, words[0], words[1])) : Optional.empty();
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw failed(agentId, e);
        }
    }

    /** Whose directories there are, by number, also those of more coders than there are now. */
    public List<String> workspaces() {
        if (!Files.isDirectory(projectDirectory)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(projectDirectory)) {
            return entries.filter(
                            entry -> CoderNames.isOne(String.valueOf(entry.getFileName())) && Files.isDirectory(entry))
                    .map(entry -> String.valueOf(entry.getFileName()))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new MaestroException("the directory " + projectDirectory + " cannot be read: " + e, e);
        }
    }

    /** The workspaces that an earlier life has not left in order: commands of its may still run there. */
    public List<Path> leftInUse() {
        List<Path> used = new ArrayList<>();
        for (String agentId : workspaces()) {
            Path workspace = projectDirectory.resolve(agentId);
            if (of(agentId).isPresent() || !isEmpty(workspace)) {
                used.add(workspace);
            }
        }
        return used;
    }

    private static boolean isEmpty(Path workspace) {
        try (Stream<Path> files = Files.list(workspace)) {
            return files.findAny().isEmpty();
        } catch (IOException e) {
            throw new MaestroException("the workspace " + workspace + " cannot be read: " + e, e);
        }
    }

    public List<WorkspaceMarker> all() {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        List<WorkspaceMarker> marks = new ArrayList<>();
        try (Stream<Path> files = Files.list(directory)) {
            List<String> names = files.map(file -> String.valueOf(file.getFileName()))
                    // A mark that is being made begins with a dot.
                    .filter(name -> !name.startsWith("."))
                    .sorted()
                    .toList();
            for (String name : names) {
                of(name).ifPresent(marks::add);
            }
        } catch (IOException e) {
            throw failed("all agents", e);
        }
        return marks;
    }

    public void set(WorkspaceMarker mark) {
        try {
            PrivateFiles.makeMissing(directory);
            Path made = directory.resolve("." + mark.agentId());
            DurableFile.write(
                    made, directory.resolve(mark.agentId()), mark.storyId() + " " + mark.workspaceId() + "\n");
        } catch (IOException e) {
            throw failed(mark.agentId(), e);
        }
    }

    /** Deletes marks that a killed process was making; to be called before anybody works. */
    public void deleteUnfinished() {
        if (!Files.isDirectory(directory)) {
            return;
        }
        try (DirectoryStream<Path> unfinished = Files.newDirectoryStream(directory, ".*")) {
            for (Path file : unfinished) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw failed("all agents", e);
        }
    }

    public void remove(String agentId) {
        try {
            Files.deleteIfExists(directory.resolve(agentId));
        } catch (IOException e) {
            throw failed(agentId, e);
        }
    }

    private MaestroException failed(String agentId, IOException e) {
        return new MaestroException(
                "the marks of workspaces in " + directory + " cannot be read or written for " + agentId + ": " + e, e);
    }
}
