package io.maestro.claude.internal.coder;

import io.maestro.claude.ClaudeFinder;
import io.maestro.claude.McpWay;
import io.maestro.exec.Executor;
import io.maestro.story.CoderState;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * How Claude Code is run as a coder.
 *
 * @param planning what holds in PLANNING
 * @param coding what holds in CODING
 * @param program the CLI's program where it runs; empty for {@code claude} on the path
 * @param hostProgram a binary of the host that is bound into containers; empty for none
 * @param way how the CLI reaches the tools; empty to choose
 * @param keyInEnvironment whether the CLI gets the key itself, instead of a gateway that keeps it
 * @param totalLimit how long a run may take
 * @param inactivityLimit how long a run may be silent while nothing is in flight
 * @param baseUrl where the API is
 * @param key the key of the API
 */
public record ModeSettings(
        StateSettings planning,
        StateSettings coding,
        Optional<String> program,
        Optional<Path> hostProgram,
        Optional<McpWay> way,
        boolean keyInEnvironment,
        Duration totalLimit,
        Duration inactivityLimit,
        URI baseUrl,
        String key) {
    StateSettings in(CoderState state) {
        return state == CoderState.PLANNING ? planning : coding;
    }

    /** Looks for the program that these settings name. */
    ClaudeFinder.Builder finder(Executor executor) {
        ClaudeFinder.Builder finder = ClaudeFinder.on(executor);
        program.ifPresent(finder::program);
        hostProgram.ifPresent(finder::hostProgram);
        return finder;
    }

    /** Without the key. */
    @Override
    public String toString() {
        return "ModeSettings[" + planning.model() + ", " + coding.model() + " at " + baseUrl + "]";
    }
}
