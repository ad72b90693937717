package io.maestro.claude.internal.install;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * What a host has asked for.
 *
 * @param program where the CLI should be, in the executor's notation
 * @param minimum the oldest version that will do
 * @param wanted the version to install over the network
 * @param hostProgram a binary, or a directory of npm, on the host
 * @param directory where it may be installed, absolute, in the executor's notation
 * @param user as whom it will run
 * @param administrator as whom the system's packages may be installed
 * @param registry the npm registry
 * @param network whether the network may be used
 * @param checkLimit how long a short command may take
 * @param installLimit how long a copy, a download or an installation may take
 */
public record Plan(
        Optional<String> program,
        ClaudeVersion minimum,
        ClaudeVersion wanted,
        Optional<Path> hostProgram,
        Optional<String> directory,
        Optional<String> user,
        Optional<String> administrator,
        Optional<URI> registry,
        boolean network,
        Duration checkLimit,
        Duration installLimit) {}
