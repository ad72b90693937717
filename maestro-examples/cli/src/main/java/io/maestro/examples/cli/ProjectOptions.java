package io.maestro.examples.cli;

import io.maestro.Maestro;
import io.maestro.MaestroBuilder;
import io.maestro.audit.SecretRedactor;
import io.maestro.audit.Store;
import io.maestro.audit.Stores;
import io.maestro.error.MaestroException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Where Maestro keeps everything, and how results are written; for all commands. */
final class ProjectOptions {
    @Option(
            names = {"-d", "--directory"},
            paramLabel = "PATH",
            description = "The project directory; default: this one.")
    private Path directory = Path.of("");

    @Option(names = "--json", description = "Writes the result as JSON, for programs.")
    boolean json;

    /** For picocli. */
    ProjectOptions() {}

    Path directory() {
        return directory.toAbsolutePath().normalize();
    }

    /** A team with the settings of the project's file. */
    MaestroBuilder builder() {
        return Maestro.builder().projectDirectory(directory());
    }

    /** The record, beside whoever works with it; the caller closes it. */
    Store record() {
        Path file = directory().resolve(".maestro/maestro.db");
        if (!Files.exists(file)) {
            throw new MaestroException(
                    "there is no record " + file + ": run a story first, or name another project by --directory", null);
        }
        return Stores.sqlite(file, SecretRedactor.withDefaults());
    }
}
