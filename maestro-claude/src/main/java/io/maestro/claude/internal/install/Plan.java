package io.maestro.claude.internal.install;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * What a host has asked for.
 *
 * @param program where the CLI should be, in the executor's notation
 * @param minimum the oldest version that will do
 * @param hostProgram a binary, or a directory of npm, on the host
 * @param bound where files of it are bound, absolute, in the executor's notation
 * @param user as whom it will run
 * @param checkLimit how long a command may take
 */
public record Plan(
        Optional<String> program,
        ClaudeVersion minimum,
        Optional<Path> hostProgram,
        Optional<String> bound,
        Optional<String> user,
        Duration checkLimit) {}
