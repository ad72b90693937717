package io.maestro.examples.cli;

import io.maestro.Maestro;
import io.maestro.MaestroBuilder;
import io.maestro.MaestroRecord;
import io.maestro.error.MaestroException;
import io.maestro.secrets.SecretRedactor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Where Maestro keeps everything, and how results are written; for all commands. */
final class ProjectOptions {
    private static final String DEFAULT = ".maestro-work";

    @Option(
            names = {"-d", "--directory"},
            paramLabel = "PATH",
            description =
                    "Where Maestro keeps everything, with its settings in config.json; default: " + DEFAULT + " here.")
    private Path directory;

    @Option(names = "--json", description = "Writes the result as JSON, for programs.")
    boolean json;

    /** For picocli. */
    ProjectOptions() {}

    Path directory() {
        return (directory == null ? Path.of(DEFAULT) : directory)
                .toAbsolutePath()
                .normalize();
    }

    /** The file with the settings, which need not be there. */
    Path settings() {
        return directory().resolve("config.json");
    }

    /** Says where settings have to go that are where they were read from by earlier versions. */
    Optional<String> misplaced() {
        Path now = settings();
        Path before = (directory == null ? Path.of("").toAbsolutePath() : directory()).resolve(".maestro/config.json");
        return Files.exists(now) || !Files.exists(before)
                ? Optional.empty()
                : Optional.of("settings are read from " + now + " only: move " + before + " there"
                        + (directory == null
                                ? "; to go on with the record that is here, move it to config.json and give --directory ."
                                : ""));
    }

    /** Says what is to be set first, and where. */
    String missing() {
        return "git.repository must be set in " + settings() + ", and agents.coder_model, for example"
                + " {\"git\": {\"repository\": \"https://example.org/app.git\"},"
                + " \"agents\": {\"coder_model\": \"claude-sonnet-5\"}}";
    }

    /**
     * A team with the settings of the project's file. Changes nothing yet.
     *
     * @throws MaestroException when there is no file
     */
    MaestroBuilder builder() {
        if (!Files.exists(settings())) {
            throw new MaestroException(misplaced().orElseGet(this::missing), null);
        }
        return Maestro.builder().projectDirectory(directory()).config(settings());
    }

    /** Makes the default directory, closed to other users, and keeps it out of a repository that it may lie in. */
    void makeDirectory() {
        if (directory != null) {
            return;
        }
        Path own = directory();
        Path ignored = own.resolve(".gitignore");
        try {
            if (!Files.exists(own, LinkOption.NOFOLLOW_LINKS)) {
                Files.createDirectory(
                        own, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            }
            // Nothing is written by way of a link, or for another user: the team refuses that.
            if (Files.isDirectory(own, LinkOption.NOFOLLOW_LINKS)
                    && isMine(own)
                    && !Files.exists(ignored, LinkOption.NOFOLLOW_LINKS)) {
                Files.writeString(ignored, "*\n", StandardOpenOption.CREATE_NEW);
            }
        } catch (IOException e) {
            throw new MaestroException("the directory " + own + " cannot be made: " + e, e);
        }
    }

    /** Refuses settings that another user may have written, as the team does. */
    static void requireMine(Path file) throws IOException {
        if (!Files.isRegularFile(file) || !isMine(file)) {
            throw new MaestroException(file + " is no regular file of this user's own");
        }
        if (Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_WRITE)) {
            throw new MaestroException(
                    "all users of this machine may write to " + file + ": run 'chmod o-w " + file + "'");
        }
    }

    private static boolean isMine(Path path) throws IOException {
        return Files.getOwner(path, LinkOption.NOFOLLOW_LINKS).getName().equals(System.getProperty("user.name"));
    }

    /** The record, beside whoever works with it; the caller closes it. */
    MaestroRecord record() {
        Path file = directory().resolve(".maestro/maestro.db");
        if (!Files.exists(file)) {
            throw new MaestroException(
                    "there is no record " + file + ": run a story first, or name another directory by --directory",
                    null);
        }
        return MaestroRecord.sqlite(file, SecretRedactor.withDefaults());
    }
}
