package io.maestro.claude.internal.install;

import io.maestro.claude.ClaudeFinder;
import io.maestro.exec.local.LocalExecutor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;

/** A place on this machine with a PATH of its own that begins with an empty directory. */
final class InstallPlace {
    static final String CURRENT = "#!/bin/sh\necho '2.1.197 (Claude Code)'\n";

    final Path root;
    final Path bin;
    final Path state;
    final Path temporary;
    final Path home;

    InstallPlace(Path root) {
        this.root = root;
        this.bin = directory("bin");
        this.state = root.resolve("state");
        this.temporary = directory("tmp");
        this.home = directory("home");
    }

    Path directory(String name) {
        try {
            return Files.createDirectories(root.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    LocalExecutor local() {
        return LocalExecutor.builder(root)
                // Without the directories in which a developer has a claude.
                .variable("PATH", bin + ":/usr/bin:/bin")
                .variable("TMPDIR", temporary.toString())
                .variable("HOME", home.toString())
                .build();
    }

    ClaudeFinder.Builder installer() {
        return ClaudeFinder.on(local());
    }

    Path program(String name, String script) {
        try {
            Path file = root.resolve(name);
            Files.createDirectories(file.getParent());
            Files.writeString(file, script);
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<String> names(Path directory) {
        if (!Files.exists(directory)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
