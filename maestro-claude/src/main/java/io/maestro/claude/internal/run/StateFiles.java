package io.maestro.claude.internal.run;

import io.maestro.claude.ClaudeCode;
import io.maestro.error.MaestroException;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a run keeps in the CLI's state directory beside the CLI's own files: the system prompt, which may be too long for argv.
 * Starts nothing in a sandbox where the CLI would find managed settings, and removes what an agent has put among the CLI's own.
 */
final class StateFiles {
    private static final Logger LOG = LoggerFactory.getLogger(StateFiles.class);
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** Also finds out at once that the directory cannot be written: the CLI would end with exit code 0, and say nothing. */
    private static final String PREPARE = """
            umask 077
            command -v "$2" >/dev/null || exit 127
            session=$1
            shift 2
            for m do
                [ -e "$m" ] || [ -L "$m" ] || continue
                [ "$(cd -P "$m" && pwd -P)" = "$m" ] && [ -z "$(ls -A "$m")" ] && continue
                echo "$m" >&2
                exit 78
            done
            d=${CLAUDE_CONFIG_DIR:-$HOME/.claude}
            mkdir -p "$d" || exit 1
            # The CLI's own settings, among them variables: they switch off hooks, and an agent can write them.
            [ -z "$CLAUDE_CONFIG_DIR" ] || rm -rf "$d/.claude.json" "$d/.config.json" || exit 1
            f=$d/maestro-prompt-$session.md
            rm -f "$f"
            cat >"$f" || exit 1
            [ -s "$f" ] || rm -f "$f"
            id -u
            printf '%s\\n' "$f"
            """;

    private static final int NO_PROGRAM = 127;
    private static final int MANAGED = 78;

    private StateFiles() {}

    /**
     * What was found and written.
     *
     * @param root whether the run's user is root
     * @param promptFile the system prompt; empty when there is none
     */
    record Prepared(boolean root, Optional<String> promptFile) {}

    static Prepared prepare(CliLaunch launch) {
        ClaudeCode settings = launch.settings();
        List<String> command = new ArrayList<>(
                List.of("sh", "-c", PREPARE, "sh", launch.session().id(), settings.program()));
        if (!launch.isLocal()) {
            command.addAll(ClaudeCode.MANAGED_DIRECTORIES);
        }
        ExecResult result = settings.executor()
                .run(request(settings, command)
                        .stdin(settings.systemPrompt().orElse("").getBytes(StandardCharsets.UTF_8))
                        .build());
        if (result.ending() == ExecResult.Ending.CANCELLED) {
            throw new MaestroException("interrupted while '" + settings.program() + "' was to be started");
        }
        if (result.exitCode().orElse(0) == NO_PROGRAM) {
            throw new MaestroException("cannot start '" + settings.program()
                    + "': there is no such program, or it may not be run; correct its path");
        }
        if (result.exitCode().orElse(0) == MANAGED) {
            throw new MaestroException("cannot start '" + settings.program() + "': "
                    + result.stderr().text().strip()
                    + " is no empty directory there, and the CLI would obey the settings in it before anything else;"
                    + " take it out of the image, or have the environment hide it (Equipment.maskedDirectories)");
        }
        List<String> lines = result.stdout().text().lines().toList();
        if (!result.succeeded() || lines.size() != 2) {
            throw new MaestroException("cannot start '" + settings.program() + "': the directory for its sessions, "
                    + settings.stateDirectory().or(settings::home).orElse("in the user's home")
                    + ", cannot be made or written to by the run's user; change its owner or name another ("
                    + result.ending() + ", exit code " + result.exitCode() + "): "
                    + result.stderr().text().strip());
        }
        return new Prepared(lines.get(0).equals("0"), settings.systemPrompt().map(prompt -> lines.get(1)));
    }

    static void remove(ClaudeCode settings, Prepared prepared) {
        if (prepared.promptFile().isEmpty()) {
            return;
        }
        String file = prepared.promptFile().get();
        try {
            ExecResult result = settings.executor()
                    .run(request(settings, List.of("rm", "-f", "--", file)).build());
            if (!result.succeeded()) {
                LOG.warn("could not remove {}: {}", file, result.stderr().text().strip());
            }
        } catch (RuntimeException e) {
            // The container may be gone, and the file with it.
            LOG.warn("could not remove {}: {}", file, e.toString());
        }
    }

    private static ExecRequest.Builder request(ClaudeCode settings, List<String> command) {
        ExecRequest.Builder request = ExecRequest.command(command).timeLimit(LIMIT);
        CommandLine.state(settings).forEach(request::environment);
        settings.user().ifPresent(request::user);
        return request;
    }
}
