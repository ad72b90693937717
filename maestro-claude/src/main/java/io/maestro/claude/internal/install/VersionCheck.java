package io.maestro.claude.internal.install;

import io.maestro.exec.ExecResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Asks a program for its version, as the user who will run it. */
final class VersionCheck {
    /** What native programs of this machine have answered, as long as their files stay the same: each answer costs a start. */
    private static final Map<CheckedProgram, ClaudeVersion> KNOWN = new ConcurrentHashMap<>();

    /**
     * The home is thrown away: whoever checks, no state is begun by it that another user could not go on with. In the
     * background, so that the trap is obeyed at once when the time is up; set first, since that may be at any moment. Who ends
     * a tree of processes sends TERM to new ones too: what cleans up must not obey it.
     */
    private static final String SCRIPT = """
            home=/dev/null
            discard() { test "$home" = /dev/null || rm -rf "$home"; }
            trap 'trap "" TERM INT HUP; discard; exit 143' TERM INT HUP
            home=$(mktemp -d 2>/dev/null) || home=/dev/null
            cd / || exit 125
            HOME=$home CLAUDE_CONFIG_DIR=$home DISABLE_AUTOUPDATER=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 \\
                DISABLE_TELEMETRY=1 DISABLE_ERROR_REPORTING=1 "$1" --version </dev/null &
            wait $!
            code=$?
            discard
            exit $code
            """;

    private final Sandbox sandbox;
    private final Duration limit;
    private final boolean onThisMachine;

    VersionCheck(Sandbox sandbox, Duration limit, boolean onThisMachine) {
        this.sandbox = sandbox;
        this.limit = limit;
        this.onThisMachine = onThisMachine;
    }

    /** The version, which is new enough. */
    ClaudeVersion require(String program, ClaudeVersion minimum) {
        Optional<CheckedProgram> file = onThisMachine ? CheckedProgram.of(program, sandbox.user()) : Optional.empty();
        ClaudeVersion version = file.map(KNOWN::get).orElseGet(() -> ask(program));
        if (version.compareTo(minimum) < 0) {
            throw new StepFailure(program + " is version " + version + ", which is older than " + minimum);
        }
        file.ifPresent(it -> KNOWN.put(it, version));
        return version;
    }

    private ClaudeVersion ask(String program) {
        ExecResult result = sandbox.run(SCRIPT, limit, program);
        if (!result.succeeded()) {
            throw new StepFailure("'" + program + " --version' " + Sandbox.ending(result, limit) + hint(result));
        }
        String text = result.stdout().text();
        return ClaudeVersion.parse(text)
                .orElseThrow(() -> new StepFailure("'" + program + " --version' printed no version of Claude Code: "
                        + (text.isBlank() ? "nothing" : "\"" + Sandbox.tail(text) + "\"")));
    }

    private static String hint(ExecResult result) {
        return switch (result.exitCode().orElse(0)) {
            case 126 ->
                " (it may not be executed: is it on a file system that is mounted noexec, as docker's tmpfs is"
                        + " unless told otherwise?)";
            case 127 -> " (it, or the dynamic loader that it needs, is not there)";
            case 132 -> " (this processor lacks instructions that it uses)";
            default -> "";
        };
    }

    /** A native program, whose attributes change when it is written or replaced. What a script starts can change without it. */
    private record CheckedProgram(Path file, Optional<String> user, Map<String, Object> attributes) {
        static Optional<CheckedProgram> of(String program, Optional<String> user) {
            try {
                Path file = Path.of(program).toRealPath();
                if (Executable.read(file).machine().isEmpty()) {
                    return Optional.empty();
                }
                return Optional.of(new CheckedProgram(
                        file, user, Files.readAttributes(file, "unix:ino,dev,size,lastModifiedTime,ctime")));
            } catch (IOException | StepFailure | UnsupportedOperationException e) {
                return Optional.empty();
            }
        }
    }
}
